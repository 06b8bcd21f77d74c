// The one table of settings. Type, checks, environment names, example files and documentation are derived from it.
// A row without a reader is a defect: whoever removes the reader removes the row.
import type { Kind, ValueOf } from './kind.ts';

export type Setting = {
  /** Section and key in config.toml. */
  path: string;
  type: Kind;
  /** null: not set. Lists may hold "*": everything there is. */
  default: unknown;
  env?: string;
  /** Command-line flag without the dashes. */
  flag?: string;
  /** Also readable from a file: `<key>_file` and `<ENV>_FILE`. Never shown. */
  secret?: true;
  /** What the example file shows when there is no default. */
  example?: string;
  doc: string;
};

/** Seconds in a day: no limit in seconds may pass it, so that no timer overflows. */
const DAY = 86_400;
const text = { kind: 'text' } as const;
const url = { kind: 'url' } as const;
const list = { kind: 'list' } as const;
const int = (min: number, max: number) => ({ kind: 'int', min, max }) as const;
const usd = { kind: 'usd', max: 1_000_000 } as const;
/** 0 to a million million. */
const tokens = int(0, 1_000_000_000_000);
const choice = <const C extends readonly string[]>(...of: C) => ({ kind: 'choice', of }) as const;

// biome-ignore format: a table, one row a line
export const SETTINGS = [
  { path: 'server.host', type: text, default: '127.0.0.1', env: 'TROUPE_HOST', flag: 'host', doc: 'Address to listen on. Any address but loopback needs an API key.' },
  { path: 'server.port', type: int(0, 65_535), default: 8787, env: 'TROUPE_PORT', flag: 'port', doc: 'Port to listen on. 0 = any free port; it is printed.' },
  { path: 'server.state_dir', type: { kind: 'path' }, default: './data', env: 'TROUPE_STATE_DIR', flag: 'state-dir', doc: 'Folder for database, logs and workdirs. Relative to the file that names it, else to the current folder.' },
  { path: 'server.api_key', type: text, default: null, env: 'TROUPE_API_KEY', secret: true, doc: 'Key that callers send as "Authorization: Bearer …". Optional on loopback.' },
  { path: 'server.allowed_hosts', type: list, default: [], env: 'TROUPE_ALLOWED_HOSTS', doc: 'Host names accepted in requests besides loopback and the own address, e.g. behind a proxy.' },
  { path: 'server.allowed_origins', type: list, default: [], env: 'TROUPE_ALLOWED_ORIGINS', doc: 'Web origins that may call the server besides its own page.' },
  { path: 'server.workspace_roots', type: { kind: 'paths' }, default: [], env: 'TROUPE_WORKSPACE_ROOTS', doc: 'Folders inside which a query may name its own workdir. Empty = every query gets a new one.' },
  { path: 'server.log_level', type: choice('debug', 'info', 'warn', 'error', 'silent'), default: 'info', env: 'TROUPE_LOG_LEVEL', flag: 'log-level', doc: 'Least severe log lines to write.' },
  { path: 'server.topology', type: choice('split', 'single', 'hybrid'), default: 'split', env: 'TROUPE_TOPOLOGY', flag: 'topology', doc: 'split = a process per role, single = all roles in the main process, hybrid = by the transport of each role.' },
  { path: 'server.shutdown_drain_s', type: int(0, 600), default: 10, doc: 'Most seconds that role servers get to end at shutdown. What runs is left at a checkpoint after a moment and goes on at the next start.' },
  { path: 'server.shutdown_kill_s', type: int(0, 60), default: 2, doc: 'Seconds on top of it until what is still there is killed.' },

  { path: 'subagents.max', type: int(1, 100), default: 30, env: 'MAX_SUBAGENTS', flag: 'max-subagents', doc: 'Most subagents at work at once, over all queries; also the most role servers.' },
  { path: 'subagents.overflow', type: choice('queue', 'reject'), default: 'queue', doc: 'What happens to a task beyond the limit: it waits in line, or it is refused with the numbers.' },
  { path: 'subagents.queue_limit', type: int(0, 1_000_000), default: 10_000, doc: 'Most tasks that wait in line. A full line answers 429.' },
  { path: 'subagents.recovery', type: choice('resume', 'fail'), default: 'resume', doc: 'Running tasks after a crash of the server: go on from the last checkpoint, or fail as lost.' },
  { path: 'subagents.max_depth', type: int(1, 10), default: 2, doc: 'How deep tasks may nest: 1 = only the main agent starts tasks.' },
  { path: 'subagents.host', type: text, default: '127.0.0.1', env: 'ASYNC_SUBAGENT_HOST', doc: 'Address on which role servers listen.' },
  { path: 'subagents.base_port', type: int(0, 65_000), default: 0, env: 'ASYNC_SUBAGENT_BASE_PORT', doc: 'First port of the role servers, one per role in order; a taken port falls back to a free one. 0 = any free port.' },
  { path: 'subagents.start_deadline_s', type: int(1, 600), default: 30, doc: 'Seconds from the moment a start gets its turn until the role server must be ready.' },
  { path: 'subagents.probe_every_s', type: int(1, 300), default: 5, doc: 'Seconds between two health checks of a role server.' },
  { path: 'subagents.probe_misses', type: int(1, 100), default: 3, doc: 'Missed health checks in a row after which a role server counts as hung.' },
  { path: 'subagents.idle_ttl_s', type: int(0, DAY), default: 300, doc: 'Seconds without work after which a role server is stopped. 0 = keep it.' },
  { path: 'subagents.warm_spares', type: int(0, 1), default: 0, doc: '1 = after the first use keep one loaded worker ready for the next role.' },
  { path: 'subagents.restart_limit', type: int(1, 100), default: 5, doc: 'Quick exits of a role server within restart_window_s after which the role is parked.' },
  { path: 'subagents.restart_window_s', type: int(1, DAY), default: 60, doc: 'Seconds over which quick exits are counted.' },
  { path: 'subagents.cancel_deadline_s', type: int(1, 600), default: 5, doc: 'Seconds a role server has to end a cancelled run before it is killed.' },

  { path: 'limits.max_iterations', type: int(1, 10_000), default: 100, env: 'MAX_ITERATIONS', flag: 'max-iterations', doc: 'Most model calls of one turn of the main agent. A subagent gets half of what the agent above it has, see child_min_iterations.' },
  { path: 'limits.child_min_iterations', type: int(1, 10_000), default: 10, doc: 'Model calls that a subagent gets at least, where half of those of the agent above it would be fewer. Never more than that agent has.' },
  { path: 'limits.max_running_queries', type: int(1, 1_000), default: 16, doc: 'Most queries at work at once; more wait as queued.' },
  { path: 'limits.result_limit', type: int(1_000, 1_000_000), default: 30_000, doc: 'Bytes of a tool result or task result that reach the model; the whole is kept in a file.' },
  { path: 'limits.description_limit', type: int(1_000, 1_000_000), default: 32_768, doc: 'Most bytes of a task description or message.' },
  { path: 'limits.body_limit', type: int(10_000, 8_388_608), default: 1_048_576, doc: 'Most bytes of a request body.' },
  { path: 'limits.tool_timeout_s', type: int(1, DAY), default: 120, doc: 'Seconds a shell command may take when it names no limit.' },
  { path: 'limits.tool_timeout_max_s', type: int(1, DAY), default: 3_600, doc: 'Most seconds that a shell command may ask for.' },
  { path: 'limits.blocked_after_s', type: int(5, DAY), default: 45, doc: 'Seconds without any sign of progress after which a subagent is blocked.' },
  { path: 'limits.blocked_deadline_s', type: int(1, DAY), default: 120, doc: 'Seconds a subagent may stay blocked before its task goes to the alternate role.' },
  { path: 'limits.review_timeout_s', type: int(1, 604_800), default: 600, doc: 'Seconds that a question or another review waits for a person. Then a question counts as not answered, an approval as denied, and nothing is stored.' },

  { path: 'limits.node_tokens', type: tokens, default: 0, doc: 'Most tokens, input and output together, that one task or the main agent of a query may spend. 0 = no limit. A call that may pass a limit is not sent.' },
  { path: 'limits.tree_tokens', type: tokens, default: 0, doc: 'The same for a query with everything under it.' },
  { path: 'limits.day_tokens', type: tokens, default: 0, doc: 'The same for all queries of a day (UTC).' },
  { path: 'limits.node_usd', type: usd, default: 0, doc: 'Most USD that one task or the main agent of a query may spend. 0 = no limit. A limit in USD needs [models] prices for every model that is called.' },
  { path: 'limits.tree_usd', type: usd, default: 0, doc: 'The same for a query with everything under it.' },
  { path: 'limits.day_usd', type: usd, default: 0, env: 'TROUPE_DAY_USD', doc: 'The same for all queries of a day (UTC).' },
  { path: 'limits.output_tokens', type: int(256, 1_000_000), default: 8_192, doc: 'While a limit on tokens or USD holds: most tokens of one answer. So much is set aside for each call, and the provider is told.' },
  { path: 'limits.confirm_above_tokens', type: tokens, default: 0, doc: 'An agent that starts one more task, and whose open tasks with it will cost more tokens than this by what earlier tasks of their roles have cost, waits for the approval of a person. 0 = never.' },
  { path: 'limits.confirm_above_usd', type: usd, default: 0, doc: 'The same in USD.' },
  { path: 'limits.resume_tokens', type: tokens, default: 0, doc: 'When a task goes on after a crash, an update or a retry and each of its model calls would have more input tokens than this, its older turns are summarised first. 0 = never for this reason.' },

  { path: 'branching.mode', type: choice('never', 'auto', 'always'), default: 'auto', env: 'TROUPE_BRANCH', doc: 'Whether the main agent splits a request into branches by itself when the query does not say: never, when gate and score agree, or always when there are two parts.' },
  { path: 'branching.fan_out', type: int(2, 10), default: 3, doc: 'Most branches of one request. More parts are merged into these, none is dropped.' },
  { path: 'branching.ratio_threshold_percent', type: int(0, 100), default: 30, doc: 'Score of the first round of tools, in percent, from which on a request branches.' },
  { path: 'branching.min_tool_calls', type: int(0, 1_000), default: 2, doc: 'Tool calls of that round below which the score is never enough.' },
  { path: 'branching.combine', type: choice('auto', 'ratio', 'points', 'any', 'all'), default: 'auto', doc: 'Which score decides: auto = ratio after the first round and points later; any or all of both.' },
  { path: 'branching.max_nodes', type: int(3, 1_000), default: 40, doc: 'Most agents in the tree of a query that is branched further.' },

  { path: 'sandbox.fetch_allow', type: list, default: [], env: 'TROUPE_FETCH_ALLOW', doc: 'What the tool fetch may reach although it is not public: "host", "host:port", an address or a CIDR block.' },

  { path: 'models.default', type: { kind: 'model', inherits: false }, default: null, env: 'TROUPE_MODEL', flag: 'model', doc: 'Model of every agent that names none. Not set = the first provider with a key, a local server, or offline rules.' },
  { path: 'models.fallback', type: { kind: 'models', inherits: false }, default: [], doc: 'Models that are asked in this order when the model of an agent fails or is paused. Nothing else is ever asked.' },
  { path: 'models.cheap', type: { kind: 'model', inherits: false }, default: null, doc: 'Model of the roles with tier = "cheap" and no model of their own.' },
  { path: 'models.strong', type: { kind: 'model', inherits: false }, default: null, doc: 'Model of the roles with tier = "strong" and no model of their own.' },
  { path: 'models.context_tokens', type: int(1_000, 10_000_000), default: 128_000, doc: 'Tokens of context of models that Troupe does not know it of: all but those of Ollama and gguf, which have their num_ctx. At three quarters of it the older turns of a conversation are summarised.' },
  { path: 'models.first_token_timeout_s', type: int(1, DAY), default: 60, doc: 'Seconds until the first token of an answer.' },
  { path: 'models.total_timeout_s', type: int(0, DAY), default: 600, doc: 'Seconds for one whole answer. 0 = no limit.' },
  { path: 'models.local_first_token_timeout_s', type: int(1, DAY), default: 300, doc: 'The same for models on this machine, which may have to be loaded first.' },
  { path: 'models.local_total_timeout_s', type: int(0, DAY), default: 0, doc: 'The same for models on this machine. 0 = no limit.' },
  { path: 'models.openai.api_key', type: text, default: null, env: 'OPENAI_API_KEY', secret: true, doc: 'Key for OpenAI or any server that speaks its protocol.' },
  { path: 'models.openai.api_keys', type: list, default: [], env: 'OPENAI_API_KEYS', secret: true, doc: 'More keys: calls take them in turn, and one that is refused or rate-limited rests.' },
  { path: 'models.openai.base_url', type: url, default: 'https://api.openai.com/v1', env: 'OPENAI_BASE_URL', doc: 'Address of that server: LM Studio, vLLM, llama.cpp, a proxy …' },
  { path: 'models.openrouter.api_key', type: text, default: null, env: 'OPENROUTER_API_KEY', secret: true, doc: 'Key for OpenRouter.' },
  { path: 'models.openrouter.api_keys', type: list, default: [], env: 'OPENROUTER_API_KEYS', secret: true, doc: 'More keys: calls take them in turn, and one that is refused or rate-limited rests.' },
  { path: 'models.openrouter.base_url', type: url, default: 'https://openrouter.ai/api/v1', doc: 'Address of OpenRouter.' },
  { path: 'models.anthropic.api_key', type: text, default: null, env: 'ANTHROPIC_API_KEY', secret: true, doc: 'Key for Anthropic.' },
  { path: 'models.anthropic.api_keys', type: list, default: [], env: 'ANTHROPIC_API_KEYS', secret: true, doc: 'More keys: calls take them in turn, and one that is refused or rate-limited rests.' },
  { path: 'models.anthropic.base_url', type: url, default: 'https://api.anthropic.com/v1', doc: 'Address of Anthropic.' },
  { path: 'models.ollama.base_url', type: url, default: 'http://127.0.0.1:11434', env: 'OLLAMA_BASE_URL', doc: 'Address of Ollama.' },
  { path: 'models.ollama.num_ctx', type: int(0, 10_000_000), default: 16_384, doc: 'Tokens of context that Ollama makes room for. 0 = its own default, which is too small for agents.' },
  { path: 'models.ollama.keep_alive', type: text, default: null, doc: 'How long Ollama keeps a model loaded: "10m", "24h", "-1" = for ever. Not set = its own default.' },
  { path: 'models.gguf.num_ctx', type: int(0, 10_000_000), default: 16_384, doc: 'Tokens of context for a model file that runs inside main, "gguf:/path/model.gguf". 0 = as much as file and memory allow.' },
  { path: 'models.prices', type: { kind: 'prices' }, default: {}, doc: 'USD per million tokens, e.g. "openai:gpt-4o-mini" = { input = 0.15, output = 0.6, cached_input = 0.075 }. A model without a row has no cost.' },

  { path: 'memory.embedder', type: { kind: 'model', inherits: false }, default: null, example: 'openai:text-embedding-3-small', doc: 'Model that turns texts into vectors, so that memory is also searched by meaning: "provider:model" of a provider in [models] that serves /embeddings. Not set = by words alone.' },

  { path: 'main.model', type: { kind: 'model', inherits: true }, default: 'default', doc: 'Model of the main agent.' },
  { path: 'main.prompt', type: text, default: null, doc: 'Text that is added to the end of the main agent\'s prompt.' },
  { path: 'main.tools', type: list, default: ['*'], doc: 'Tools of the main agent. "*" = all but fetch, which can be named beside it.' },
  { path: 'main.may_start', type: list, default: ['*'], doc: 'Roles that the main agent may start. "*" = all.' },
] as const satisfies readonly Setting[];

type Row = (typeof SETTINGS)[number];
type Value<R extends Row> = R['default'] extends null
  ? ValueOf<R['type']> | null
  : ValueOf<R['type']>;
type Nest<P extends string, V> = P extends `${infer Head}.${infer Rest}`
  ? { readonly [K in Head]: Nest<Rest, V> }
  : { readonly [K in P]: V };
type Together<U> = (U extends unknown ? (u: U) => void : never) extends (all: infer A) => void
  ? A
  : never;
type Plain<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]: Plain<T[K]> }
    : T;

/** The whole configuration, frozen: `config.subagents.max`, `config.models.openai.api_key` … */
export type Config = Plain<
  Together<Row extends infer R ? (R extends Row ? Nest<R['path'], Value<R>> : never) : never>
>;

/** Rows by path, and every table that may appear in config.toml. */
export const byPath: ReadonlyMap<string, Setting> = new Map(SETTINGS.map((s) => [s.path, s]));
export const SECTIONS: ReadonlySet<string> = new Set(
  SETTINGS.flatMap(({ path }) => {
    const parts = path.split('.').slice(0, -1);
    return parts.map((_, i) => parts.slice(0, i + 1).join('.'));
  }),
);

/** Builds the frozen object from values by path. */
export function nest(values: ReadonlyMap<string, unknown>): Config {
  const root: Record<string, unknown> = {};
  for (const { path } of SETTINGS) {
    const parts = path.split('.');
    const leaf = parts.pop() ?? path;
    let at = root;
    for (const part of parts) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[leaf] = values.get(path);
  }
  return freezeDeep(root) as unknown as Config;
}

export function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) freezeDeep(part);
    Object.freeze(value);
  }
  return value;
}
