// The workflows a query may ask for: each has a role that is the query's main agent, and a depth of its own.
export const WORKFLOW_NAMES = ['strict-plan', 'strict-spec', 'tdd'] as const;
export type WorkflowName = (typeof WORKFLOW_NAMES)[number];

/** `max_depth`: of its tree, whatever the configuration says of others. */
export const WORKFLOWS: Readonly<Record<WorkflowName, { role: string; max_depth: number }>> = {
  'strict-plan': { role: 'StrictPlan', max_depth: 3 },
  'strict-spec': { role: 'StrictSpec', max_depth: 3 },
  tdd: { role: 'TDD', max_depth: 2 },
};

export const MAIN_ROLE = 'main';

/** The role of a query's main agent. */
export const mainRoleOf = ({ options }: { options: { workflow?: WorkflowName } }): string =>
  options.workflow ? WORKFLOWS[options.workflow].role : MAIN_ROLE;
