// Tells somebody outside what has happened. The row is written in the unit of work of what it tells; sending it is
// tried until it is taken, with pauses that grow, and goes on after a restart.
import type { Clock, Log, Store, Tx } from '../domain/ports.ts';
import type { Webhook } from '../domain/webhook.ts';
import { type BackOff, backOff } from '../resilience/back-off.ts';
import { createAllowList } from '../tools/fetch/allow-list.ts';
import { type Network, realNetwork } from '../tools/fetch/connect.ts';
import { post, webhookUrl } from './send.ts';
import { signed } from './sign.ts';

export type WebhooksDeps = {
  store: Store;
  /** What may be told although it is not public. */
  allow: readonly string[];
  secret: string;
  clock: Clock;
  log: Log;
  network?: Network;
};

/** About a day and a half in all. */
const TRIES = 12;
const PAUSE: BackOff = { base_ms: 1_000, factor: 4, max_ms: 6 * 3_600_000 };
/** At the same time; a receiver that answers late holds one of them. */
const AT_ONCE = 8;
/** A row is looked for this long after its unit began: twice, in case that the disk is slow. */
const SOON_MS = [20, 500, 3_000] as const;
const LONGEST_MS = 60_000;
/** What is over is kept for a while, for whoever looks into it. */
const KEPT_MS = 3 * 86_400_000;

export function createWebhooks(deps: WebhooksDeps) {
  const { store, clock, log, secret, network = realNetwork } = deps;
  const mayReach = createAllowList(deps.allow);
  const closing = new AbortController();
  const busy = new Set<string>();
  const timers = new Set<NodeJS.Timeout>();

  function lookIn(ms: number): void {
    if (closing.signal.aborted) return;
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        look().catch((error: unknown) => {
          log.warn({ err: error }, 'the outbox could not be read; trying again');
          lookIn(LONGEST_MS);
        });
      },
      Math.min(Math.max(ms, 0), LONGEST_MS),
    );
    timers.add(timer.unref());
  }

  async function look(): Promise<void> {
    const room = AT_ONCE - busy.size;
    if (room <= 0 || closing.signal.aborted) return;
    const due = await store.reads.webhooks.due(clock.now().toISOString(), AT_ONCE * 2);
    for (const row of due.filter(({ key }) => !busy.has(key)).slice(0, room)) {
      busy.add(row.key);
      tell(row)
        .catch((error: unknown) =>
          log.warn({ err: error, key: row.key }, 'a webhook stays pending'),
        )
        .finally(() => {
          busy.delete(row.key);
          lookIn(0);
        });
    }
    if (due.length > 0) return;
    const next = await store.reads.webhooks.nextAt();
    if (next !== null) lookIn(Date.parse(next) - clock.now().getTime());
  }

  async function send({ key, url, body }: Webhook): Promise<string | null> {
    const headers = signed(secret, { id: key, body, at: clock.now() });
    const ask = { network, mayReach, closing: closing.signal };
    const status = await post(webhookUrl(url, mayReach), body, headers, ask);
    return status >= 200 && status < 300 ? null : `answered ${status}`;
  }

  async function tell(row: Webhook): Promise<void> {
    const error = await send(row).catch((thrown: unknown) =>
      thrown instanceof Error ? thrown.message : String(thrown),
    );
    if (closing.signal.aborted && error !== null) return;
    const attempts = row.attempts + 1;
    const over = error === null || attempts >= TRIES;
    const pause = backOff(attempts - 1, PAUSE, Math.random());
    const patch: Partial<Webhook> = {
      state: error === null ? 'delivered' : over ? 'failed' : 'pending',
      attempts,
      error: error?.slice(0, 500) ?? null,
      next_at: new Date(clock.now().getTime() + pause).toISOString(),
    };
    if (error !== null && over) log.warn({ key: row.key, error }, 'a webhook was given up');
    await store.tx((t) => t.webhooks.patch(row.key, patch));
  }

  return {
    /** AppError when the URL is none, or leads where it must not. */
    check: (url: string): void => void webhookUrl(url, mayReach),
    /** In a unit of work of the caller; a key is told once. */
    async put(t: Tx, { key, url, body }: Pick<Webhook, 'key' | 'url' | 'body'>): Promise<void> {
      const at = { next_at: t.at, created_at: t.at, updated_at: t.at };
      await t.webhooks.put({ key, url, body, state: 'pending', attempts: 0, error: null, ...at });
      for (const ms of SOON_MS) lookIn(ms);
    },
    /** Takes up what the process before has left. */
    async open(): Promise<void> {
      const before = new Date(clock.now().getTime() - KEPT_MS).toISOString();
      await store.tx((t) => t.webhooks.prune(before));
      lookIn(0);
    },
    close(): void {
      closing.abort();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
export type Webhooks = ReturnType<typeof createWebhooks>;
