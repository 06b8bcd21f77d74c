// Who may be addressed (Host) and which pages may call (Origin). Pure. Checked before keys and bodies:
// a web page that rebinds its name to loopback, or posts here from elsewhere, must not get further.
import { AppError } from '../domain/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const IP_LITERAL = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/;
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/;

const bare = (host: string): string => host.toLowerCase().replace(/\.$/, '');
/** Hostname of a Host header, or null when it is not one. */
const hostnameOf = (header: string): string | null => {
  const found = HOST.exec(header.toLowerCase());
  return found?.[1] ? bare(found[1]) : null;
};
const bracket = (host: string): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
const isLoopbackHost = (host: string): boolean =>
  LOOPBACK.includes(bracket(bare(host))) || /^127\./.test(host);

export type Door = {
  /** The address that the server is bound to. */
  host: string;
  allowed_hosts: readonly string[];
  allowed_origins: readonly string[];
};

export function refuseHost(header: string, door: Door): AppError | null {
  if (header === '') return new AppError('bad_request', 'the request has no Host header');
  if (door.allowed_hosts.includes('*')) return null;
  const name = hostnameOf(header);
  const allowed = [
    ...LOOPBACK,
    bracket(bare(door.host)),
    ...door.allowed_hosts.map((host) => hostnameOf(host) ?? host),
  ];
  if (name !== null && allowed.includes(name)) return null;
  // An address cannot be rebound; on a public bind it is how the machine is reached.
  if (name !== null && !isLoopbackHost(door.host) && IP_LITERAL.test(name)) return null;
  return new AppError(
    'misdirected',
    `this server does not answer to the host "${header}"; it answers to: ${allowed.join(', ')}. ` +
      'To use another name, add it to allowed_hosts under [server] in config.toml',
  );
}

/** Pages of this server itself, wherever a proxy puts it: same host and port as the request says. */
const isSameOrigin = (origin: string, hostHeader: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === hostHeader.toLowerCase();

export function refuseOrigin(
  origin: string | undefined,
  hostHeader: string,
  door: Door,
): AppError | null {
  if (origin === undefined || isSameOrigin(origin, hostHeader)) return null;
  if (door.allowed_origins.includes(origin) || door.allowed_origins.includes('*')) return null;
  return new AppError(
    'forbidden',
    `pages of "${origin}" may not call this server. If it is yours, add it to allowed_origins ` +
      'under [server] in config.toml (behind a proxy: let the proxy pass the Host header on)',
  );
}
