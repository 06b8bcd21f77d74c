// What /v1/status says of the models: the order of all agents without a model of their own, each with its breaker.
import type { BreakerRow } from './breakers.ts';
import type { KeyRow, Provider } from './provider.ts';
import type { Routing } from './route.ts';

export type ModelRow = {
  model: string;
  provider: string;
  /** Place in the order, from 1; null: not in it. */
  priority: number | null;
  state: BreakerRow['state'];
  failures: number;
  reason: string | null;
};
export type ModelsStatus = {
  default: string;
  why: string;
  cheap: string | null;
  strong: string | null;
  models: ModelRow[];
  keys: (KeyRow & { provider: string })[];
};

export function modelsStatus(
  { chosen, fallback, cheap, strong }: Routing,
  providers: ReadonlyMap<string, Provider>,
  breakers: readonly BreakerRow[],
): ModelsStatus {
  const order = [...new Set([chosen.model, ...fallback])];
  const others = [cheap, strong, ...breakers.map((b) => b.model)].filter((m) => m !== null);
  const failing = new Map(breakers.map((b) => [b.model, b]));
  return {
    default: chosen.model,
    why: chosen.why,
    cheap,
    strong,
    models: [...new Set([...order, ...others])].map((model) => {
      const breaker = failing.get(model);
      const at = order.indexOf(model);
      return {
        model,
        provider: model.split(':', 1)[0] ?? model,
        priority: at < 0 ? null : at + 1,
        state: breaker?.state ?? 'closed',
        failures: breaker?.failures ?? 0,
        reason: breaker?.reason ?? null,
      };
    }),
    keys: [...providers.values()].flatMap(({ name, keys }) =>
      keys ? [{ provider: name, ...keys() }] : [],
    ),
  };
}
