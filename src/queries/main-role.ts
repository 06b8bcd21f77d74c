// Who the main agent of a query is: the plain one, or the role of the workflow that the query asks for.
import type { Query } from '../domain/query.ts';
import type { Role } from '../domain/role.ts';
import type { Tool } from '../domain/tool.ts';
import { MAIN_ROLE, mainRoleOf, WORKFLOWS } from '../domain/workflow.ts';

export type MainRole = {
  name: string;
  /** The whole prompt, with the change that was made to it while the server runs. */
  prompt(override: string | null): string;
  /** When the query names none: `provider:model`, `echo`, `offline` or `default`. */
  model: string;
  tools: readonly Tool[];
  may_start: readonly string[];
  max_depth: number;
  write_under: string | null;
};

export type MainRoleDeps = {
  plain: Omit<MainRole, 'name' | 'tools' | 'write_under'> & { tools: readonly string[] };
  roles: ReadonlyMap<string, Role>;
  /** Every tool there is. */
  tools: readonly Tool[];
};

export function createMainRoleOf({ plain, roles, tools }: MainRoleDeps) {
  const named = (names: readonly string[]) => tools.filter((tool) => names.includes(tool.name));
  const usual: MainRole = {
    ...plain,
    name: MAIN_ROLE,
    tools: named(plain.tools),
    write_under: null,
  };
  return function roleOf(query: Pick<Query, 'options'>): MainRole {
    const { workflow } = query.options;
    const role = roles.get(mainRoleOf(query));
    if (!workflow || !role) return usual;
    return {
      name: role.name,
      prompt: (override) => override ?? role.system_prompt,
      model: role.model === 'default' ? plain.model : role.model,
      tools: named(role.tools),
      may_start: role.may_start,
      max_depth: WORKFLOWS[workflow].max_depth,
      write_under: role.write_under,
    };
  };
}
export type MainRoleOf = ReturnType<typeof createMainRoleOf>;
