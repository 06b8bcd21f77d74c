// The table of docs/roles.md: the packaged roles as they are without any configuration.
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { ASYNC_TOOLS } from '../../src/config/tool-names.ts';
import { isHidden } from '../../src/domain/depth.ts';
import type { Role } from '../../src/domain/role.ts';
import { code, table } from './blocks.ts';

/** `root`: folder that holds roles/. Nothing of this machine's own configuration is read. */
function packaged(root: string): readonly Role[] {
  const nowhere = join(root, 'scripts', 'docs');
  return loadConfig({
    ...{ env: {}, flags: {}, cwd: nowhere, home: nowhere, packageRoot: root },
  }).roles;
}

const words = (names: readonly string[]) => names.map(code).join(' ') || 'nobody';

export function builtInRoles(root: string): string {
  const own = (tools: readonly string[]) =>
    tools.filter((tool) => !(ASYNC_TOOLS as readonly string[]).includes(tool));
  return table(
    ['role', 'good for', 'tools', 'may start', 'alternate'],
    packaged(root)
      .filter((role) => !isHidden(role))
      .map(({ name, description, tools, may_start, alternate }) => [
        code(name),
        description,
        words(own(tools)),
        words(may_start),
        code(alternate ?? ''),
      ]),
  );
}

export const workflowRoles = (root: string): string =>
  table(
    ['role', 'what it does', 'may start', 'started by', 'writes'],
    packaged(root)
      .filter(isHidden)
      .map(({ name, description, may_start, visible_to, write_under, tools }) => [
        code(name),
        description,
        words(may_start),
        visible_to?.includes('*') ? 'every role that names it' : words(visible_to ?? []),
        write_under === null
          ? tools.includes('write')
            ? 'the workdir'
            : 'nothing'
          : code(`${write_under}/`),
      ]),
  );
