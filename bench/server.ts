// The two kinds of server that are measured: the built product and the floors beside it.
import { type Server, startServer, startTroupe } from '../test/support/server.ts';

export type { Server } from '../test/support/server.ts';

export const startProduct = (folder: string, env: NodeJS.ProcessEnv = {}): Promise<Server> =>
  startTroupe(folder, { TROUPE_LOG_LEVEL: 'error', ...env });

/** A floor, run from source: start-up is not what it is measured by. */
export const startFloor = (file: string, folder: string): Promise<Server> =>
  startServer({
    args: ['--import', 'tsx', `bench/floors/${file}`, `${folder}/floor.db`],
    env: process.env,
  });
