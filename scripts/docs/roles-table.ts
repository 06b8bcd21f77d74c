// The table of docs/roles.md: the packaged roles as they are without any configuration.
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { ASYNC_TOOLS } from '../../src/config/tool-names.ts';
import { code, table } from './blocks.ts';

/** `root`: folder that holds roles/. Nothing of this machine's own configuration is read. */
export function builtInRoles(root: string): string {
  const nowhere = join(root, 'scripts', 'docs');
  const { roles } = loadConfig({
    ...{ env: {}, flags: {}, cwd: nowhere, home: nowhere, packageRoot: root },
  });
  const own = (tools: readonly string[]) =>
    tools.filter((tool) => !(ASYNC_TOOLS as readonly string[]).includes(tool));
  const words = (names: readonly string[]) => names.map(code).join(' ') || 'nobody';
  return table(
    ['role', 'good for', 'tools', 'may start', 'alternate'],
    roles.map(({ name, description, tools, may_start, alternate }) => [
      code(name),
      description,
      words(own(tools)),
      words(may_start),
      code(alternate ?? ''),
    ]),
  );
}
