// Who may use whom: one table, from the words at the top to the doors at the bottom. Everything else is forbidden.
import type { ICruiseOptions, IRegularForbiddenRuleType } from 'dependency-cruiser';

/** `values`: rooms whose code a room may call. `types`: rooms of which it may only name the types. */
type Room = { values: string[]; types?: string[] };

const rooms: Record<string, Room> = {
  domain: { values: [] },
  config: { values: ['domain'] },
  wire: { values: ['domain'] },
  resilience: { values: ['domain'] },
  tools: { values: ['domain'] },
  agent: { values: ['domain', 'resilience'] },
  language: { values: ['domain'] },
  branching: { values: ['domain', 'language', 'agent'] },
  workflows: { values: ['domain'] },
  // main process only
  models: { values: ['domain', 'resilience', 'language'], types: ['config'] },
  store: { values: ['domain'] },
  launch: { values: ['domain', 'wire'] },
  events: { values: ['domain'] },
  reviews: { values: ['domain'], types: ['events'] },
  supervisor: { values: ['domain', 'wire', 'resilience'], types: ['config', 'events', 'launch'] },
  tasks: {
    values: ['domain', 'wire', 'resilience', 'language', 'reviews'],
    types: ['config', 'events', 'supervisor'],
  },
  memory: { values: ['domain', 'language'], types: ['events', 'reviews'] },
  queries: {
    values: ['domain', 'language', 'tools', 'agent', 'branching', 'workflows', 'reviews'],
    types: ['config', 'events', 'memory', 'tasks'],
  },
  http: {
    values: ['domain'],
    types: ['config', 'events', 'memory', 'reviews', 'supervisor', 'tasks', 'queries'],
  },
  facades: {
    values: ['domain', 'wire'],
    types: ['config', 'events', 'memory', 'reviews', 'supervisor', 'tasks', 'queries'],
  },
  // doors
  cli: { values: ['domain', 'config', 'branching'] },
  web: { values: [], types: ['domain'] },
  bin: { values: ['*'] },
};

/** Rooms that live in the main process; a role server must never load them. */
const MAIN_ONLY = [
  ...['models', 'store', 'launch', 'events', 'reviews', 'supervisor', 'tasks', 'memory'],
  ...['queries', 'http', 'facades', 'cli', 'config'],
];

/** Which rooms may touch which part of the outside world. */
const owners: Record<string, string[]> = {
  fastify: ['http', 'facades'],
  '@fastify': ['http', 'facades'],
  typebox: ['http', 'facades', 'config', 'tasks'],
  'prom-client': ['http'],
  '@ai-sdk': ['models'],
  'better-sqlite3': ['store'],
  undici: ['wire', 'cli', 'tools'],
  child_process: ['launch', 'tools', 'bin'],
  'smol-toml': ['config'],
  commander: ['cli', 'bin'],
  pino: ['bin'],
  picomatch: ['tools'],
  '@vscode/ripgrep': ['tools', 'bin'],
};

const any = (names: string[]): string => names.join('|');
const rule = (
  name: string,
  from: IRegularForbiddenRuleType['from'],
  to: IRegularForbiddenRuleType['to'],
): IRegularForbiddenRuleType => ({ name, severity: 'error', from, to });

const houseRules: IRegularForbiddenRuleType[] = [
  rule('no-cycles', {}, { circular: true }),
  rule('src-never-imports-test', { path: '^src/' }, { path: '^(test|bench|scripts)/' }),
  rule('nobody-imports-bin', { path: '^src/', pathNot: '^src/bin/' }, { path: '^src/bin/' }),
  rule(
    'every-file-has-a-room',
    { path: '^src/' },
    { path: '^src/', pathNot: `^src/(${any(Object.keys(rooms))})/` },
  ),
  rule(
    'role-server-stays-lean',
    { path: '^src/(bin/worker|wire/child-end)' },
    { path: `^src/(${any(MAIN_ONLY)})/`, dependencyTypesNot: ['type-only'] },
  ),
];

const roomRules = Object.entries(rooms)
  .filter(([, { values }]) => values[0] !== '*')
  .flatMap(([room, { values, types = [] }]) => {
    const from = { path: `^src/${room}/` };
    const allowed = any([room, ...values, ...types]);
    const rules = [rule(`${room}-imports`, from, { path: '^src/', pathNot: `^src/(${allowed})/` })];
    const typesOnly = types.filter((name) => !values.includes(name));
    if (typesOnly.length > 0)
      rules.push(
        rule(`${room}-names-types-only`, from, {
          path: `^src/(${any(typesOnly)})/`,
          dependencyTypesNot: ['type-only'],
        }),
      );
    return rules;
  });

const ownerRules = Object.entries(owners).map(([thing, owned]) =>
  rule(
    `${thing}-belongs-to-${owned.join('-')}`,
    { path: '^src/', pathNot: `^src/(${any(owned)})/` },
    { path: `(^|node_modules/)${thing}(/|$)` },
  ),
);

export const forbidden: IRegularForbiddenRuleType[] = [...houseRules, ...roomRules, ...ownerRules];

export const options: ICruiseOptions = {
  tsPreCompilationDeps: true,
  tsConfig: { fileName: 'tsconfig.json' },
  doNotFollow: { path: 'node_modules' },
};
