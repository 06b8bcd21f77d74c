// Checks of the place where a server would run: its port and its state folder. Leaves both as they were.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Check } from '../cli.ts';

/** The code of the error that listening gives (`EADDRINUSE`, …), or null when the port is free. */
function portError(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** `isOurs`: a troupe server answers there. */
export async function checkPort(
  { host, port }: { host: string; port: number },
  isOurs: () => Promise<boolean>,
): Promise<Check> {
  const at = `${host}:${port}`;
  if (port === 0) return { name: 'port', level: 'ok', found: 'any free port', fix: '' };
  const error = await portError(host, port);
  if (error === null) return { name: 'port', level: 'ok', found: `${at} is free`, fix: '' };
  if (error === 'EADDRINUSE' && (await isOurs()))
    return { name: 'port', level: 'ok', found: `${at}: a troupe server runs there`, fix: '' };
  const fixes: Record<string, string> = {
    EADDRINUSE: 'stop the program that listens there, or choose another port with TROUPE_PORT',
    EACCES: 'choose a port above 1023 with TROUPE_PORT',
    EADDRNOTAVAIL: 'set TROUPE_HOST to an address of this machine, e.g. 127.0.0.1',
  };
  return {
    name: 'port',
    level: 'fail',
    found: `${at} cannot be used: ${error}`,
    fix: fixes[error] ?? 'choose another address with TROUPE_HOST and TROUPE_PORT',
  };
}

function nearestExisting(folder: string): string {
  const up = dirname(folder);
  return existsSync(folder) || up === folder ? folder : nearestExisting(up);
}

/** `owner`: who uses the database in it, or null. */
export async function checkStateDir(
  folder: string,
  owner: () => Promise<string | null>,
): Promise<Check> {
  const name = 'state folder';
  const there = nearestExisting(folder);
  const fix = 'choose another folder with TROUPE_STATE_DIR, or change its owner and rights';
  if (!statSync(there).isDirectory())
    return { name, level: 'fail', found: `${there} is not a folder`, fix };
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
  } catch {
    return { name, level: 'fail', found: `${there} is not writable`, fix };
  }
  if (there !== folder)
    return { name, level: 'ok', found: `${folder} will be made at the first start`, fix: '' };
  const user = await owner();
  return user === null
    ? { name, level: 'ok', found: `${folder} is writable and not in use`, fix: '' }
    : {
        name,
        level: 'warn',
        found: user,
        fix: 'one server for each state folder: set TROUPE_STATE_DIR for a second one',
      };
}
