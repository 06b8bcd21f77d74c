// The model gateway, composed: who is chosen and why, and where its text is published.
import type { Loaded } from '../config/load.ts';
import type { Clock, Log, Store } from '../domain/ports.ts';
import type { SpendLimits } from '../domain/spend.ts';
import { type Choice, choose, KEYED, keysOf, needsProbe } from '../models/choose.ts';
import { createGateway, type Gateway } from '../models/gateway.ts';
import { builtInProviders } from '../models/index.ts';
import { probeLocal } from '../models/local-servers.ts';
import { createSpending, type Spending } from '../models/spending.ts';
import { notePolicy } from '../tasks/policy-log.ts';

export async function chooseModel({ config, sources }: Loaded): Promise<Choice> {
  const { default: named, ollama } = config.models;
  const explicit = named ? { model: named, from: sources.get('models.default') ?? 'config' } : null;
  const keys = KEYED.map((k) => k.provider).filter((p) => keysOf(config.models[p]).length > 0);
  const local = needsProbe({ explicit, keys }) ? await probeLocal(ollama.base_url) : null;
  return choose({ explicit, keys, local });
}

/** The limits on what may be spent, as the rooms know them. */
export const spendLimits = ({ limits }: Loaded['config']): SpendLimits => ({
  node: { tokens: limits.node_tokens, usd: limits.node_usd },
  tree: { tokens: limits.tree_tokens, usd: limits.tree_usd },
  day: { tokens: limits.day_tokens, usd: limits.day_usd },
});

export const openSpending = (
  { config }: Loaded,
  base: { store: Store; log: Log; clock: Clock },
): Spending =>
  createSpending({
    ...base,
    prices: config.models.prices,
    limits: spendLimits(config),
    output_tokens: config.limits.output_tokens,
  });

export function openGateway(
  loaded: Loaded,
  chosen: Choice,
  { store, spending, log, clock }: { store: Store; spending: Spending; log: Log; clock: Clock },
): Gateway {
  const settings = loaded.config.models;
  const { fallback, cheap, strong } = settings;
  const roles = new Map(loaded.roles.map((role) => [role.name, role]));
  const gateway = createGateway({
    routing: { chosen, fallback, cheap, strong, roles },
    settings,
    providers: builtInProviders(settings, () => clock.mono()),
    spending,
    log,
    clock,
    notePolicy(caller, note) {
      const { query_id, task_id, agent_id, role } = caller;
      void store
        .soon((t) => notePolicy(t, { query_id, task_id, agent_id, role }, note))
        .catch((error: unknown) =>
          log.warn({ err: error, policy: note.policy }, 'policy not noted'),
        );
    },
    emitOutput(caller, text) {
      const { query_id, task_id, agent_id, role, run_id } = caller;
      void store
        .soon(async (t) => {
          if (task_id) await t.tasks.appendOutput(task_id, text);
          const ids = { query_id, task_id, agent_id, role };
          await t.events.append({ kind: 'output', state: 'text', ...ids, data: { text, run_id } });
        })
        .catch((error: unknown) => log.warn({ err: error, run_id }, 'output not recorded'));
    },
  });
  for (const problem of problemsOf(loaded, gateway)) log.warn({}, problem);
  return gateway;
}

/** What is wrong with models that are named somewhere: a call would fail, or go on to the next one. */
function problemsOf({ config, roles }: Loaded, gateway: Gateway): string[] {
  const { fallback, cheap, strong } = config.models;
  const named = [config.models.default, cheap, strong, config.main.model, ...fallback];
  const ofRoles = roles.flatMap((role) => [role.model, ...(role.fallback ?? [])]);
  const specs = new Set([...named, ...ofRoles].filter((spec) => spec !== null));
  specs.delete('default');
  const inUsd = Object.values(spendLimits(config)).some(({ usd }) => usd > 0);
  specs.add(gateway.chosen().model);
  return [...specs].flatMap((spec) => gateway.problem(spec) ?? unpriced(spec, config, inUsd) ?? []);
}

/** Its calls would be refused: better said at start. Models inside main cost nothing. */
function unpriced(spec: string, { models }: Loaded['config'], inUsd: boolean): string | null {
  if (!inUsd || !spec.includes(':') || models.prices[spec]) return null;
  return `no price for ${spec} in [models] prices: with a limit in USD its calls will be refused`;
}
