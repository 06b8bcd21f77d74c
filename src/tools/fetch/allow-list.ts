// What an operator has allowed in [sandbox] fetch_allow: hosts, host:port, addresses and CIDR blocks. Pure.
// Never opens more than is written: an entry with a port allows that port alone.
import { BlockList, isIP } from 'node:net';

/** Where a request goes: the host as the URL writes it, without brackets, and the port. */
export type Target = { host: string; port: number };
type Entry = { port: number | null; fits(address: string, host: string): boolean };

const bare = (host: string): string => host.toLowerCase().replace(/\.$/, '');
const typeOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function block(network: string, bits: number): Entry['fits'] {
  const list = new BlockList();
  list.addSubnet(network, bits, typeOf(network));
  return (address) => isIP(address) === isIP(network) && list.check(address, typeOf(address));
}

function entryOf(text: string): Entry | null {
  const [, network = '', bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const most = isIP(network) === 6 ? 128 : 32;
  if (bits !== undefined)
    return isIP(network) > 0 && Number(bits) <= most
      ? { port: null, fits: block(network, Number(bits)) }
      : null;
  const [, inBrackets, name, digits] =
    isIP(text) === 6
      ? [text, text]
      : (/^(?:\[([^\]]+)\]|([^:[\]/]+))(?::(\d{1,5}))?$/.exec(text) ?? []);
  const host = inBrackets ?? name;
  if (host === undefined) return null;
  const port = digits === undefined ? null : Number(digits);
  if (isIP(host) > 0) return { port, fits: block(host, isIP(host) === 6 ? 128 : 32) };
  return { port, fits: (_, asked) => bare(asked) === bare(host) };
}

/** Answers whether a closed address may be reached for this target. Entries that are none allow nothing. */
export function createAllowList(
  entries: readonly string[],
): (address: string, target: Target) => boolean {
  const allowed = entries.map((text) => entryOf(text.trim())).filter((entry) => entry !== null);
  return (address, { host, port }) =>
    allowed.some(
      (entry) => (entry.port === null || entry.port === port) && entry.fits(address, host),
    );
}
