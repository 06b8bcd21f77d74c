// The built product with role servers that are broken, each in the way of its role.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_ROLES } from '../../src/domain/role.ts';
import { fixture } from './fixture.ts';
import { layOut } from './laid-out.ts';
import { productEnv, type Server, startServer } from './server.ts';

/** All but the last, which only talks too much, are broken for good. */
export const BROKEN_ROLES = ['coder', 'planner', 'reviewer', 'backend', 'frontend', 'debugger'];

/** `stranger`: the port that one of them reports as its own. */
export function layOutBroken(root: string, stranger: number): void {
  layOut(root, fixture('by-role'));
  writeFileSync(join(root, 'dist/bin/stranger'), String(stranger));
}

/** Few places, short deadlines, and no other role takes over: each task ends with what its own role server did. */
export function serveLaidOut(root: string): Promise<Server> {
  const alone = BUILT_IN_ROLES.map((role) => `[async_subagents.${role}]\nalternate = "none"\n`);
  writeFileSync(
    join(root, 'config.toml'),
    `[subagents]\nmax = 3\nstart_deadline_s = 3\nrestart_limit = 3\n${alone.join('')}`,
  );
  return startServer({
    args: [join(root, 'dist/bin/server.js')],
    env: productEnv(join(root, 'data'), { TROUPE_CONFIG: join(root, 'config.toml') }),
  });
}
