// The environment of a child: an allow-list and the markers. No key, no proxy, no port, no Node option passes.
import { MARK_INSTANCE, MARK_SERVER } from '../wire/protocol.ts';

export type Env = Readonly<Record<string, string | undefined>>;

const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  // Where certificates lie: the fetch tool needs them in companies with their own authority.
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]);

export function childEnv(own: Env, marks: { instance: string; server: string }) {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(own))
    if (value !== undefined && (ALLOWED.has(name) || name.startsWith('LC_'))) env[name] = value;
  env[MARK_INSTANCE] = marks.instance;
  env[MARK_SERVER] = marks.server;
  return env;
}
