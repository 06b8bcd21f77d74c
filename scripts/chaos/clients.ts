// The clients of a chaos run: they submit, cancel, update and steer while things break, and keep their own record
// of what was acknowledged. Never think of a call as done before it has been answered.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Accepted } from './proof.ts';
import type { Random } from './random.ts';
import type { Act, ActKind, Job } from './work.ts';

export type Clients = {
  accepted: Accepted[];
  /** Answers that no client should get. */
  odd: string[];
  acts: Record<ActKind, number>;
  /** No new work; resolves when every call under way has been answered. */
  stop(): Promise<void>;
};

type Given = { task_id?: string; query_id: string };
const after = (text: string): string => text.replace(/^\[\[delay=\d+\]\] /, '');

export function startClients(deps: {
  client: Client;
  random: Random;
  next: () => Job;
  /** Pieces of work a second. */
  rate: number;
}): Clients {
  const { client, random, next, rate } = deps;
  const stopping = new AbortController();
  const accepted: Accepted[] = [];
  const odd: string[] = [];
  const acts = { cancel: 0, update: 0, enqueue: 0, steer: 0 };
  const calls = new Set<Promise<void>>();

  async function perform(one: Accepted, { kind, text }: Act): Promise<void> {
    const path = `${one.job.path}/${one.id}`;
    acts[kind] += 1;
    if (kind === 'cancel') {
      one.cancelled = true;
      const { status, body } = await client.ask('POST', `${path}/cancel`, { reason: text });
      // 409: it had ended, or an earlier try of this call has cancelled it.
      if (status !== 200 && status !== 409) odd.push(`cancel: ${status} ${JSON.stringify(body)}`);
      return;
    }
    if (kind !== 'steer') one.updates.push(after(text));
    const mode = kind === 'update' ? 'interrupt' : kind;
    const key = `${one.job.key}-${kind}`;
    const { status, body } = await client.ask('POST', `${path}/messages`, { text, mode }, key);
    if (status !== 202) odd.push(`${kind}: ${status} ${JSON.stringify(body)}`);
  }

  async function submit(job: Job): Promise<void> {
    const { status, body } = await client.ask<Given>('POST', job.path, job.body, job.key);
    if (status !== 202 && status !== 200) {
      odd.push(`submit: ${status} ${JSON.stringify(body)}`);
      return;
    }
    const { query_id, task_id } = body;
    const one = { job, id: task_id ?? query_id, query_id, cancelled: false, updates: [] };
    accepted.push(one);
    if (!job.act) return;
    await pause(job.act.after_ms);
    await perform(one, job.act);
  }

  const done = (async () => {
    while (!stopping.signal.aborted) {
      const call = submit(next())
        .catch((error: unknown) => void odd.push(String(error)))
        .finally(() => calls.delete(call));
      calls.add(call);
      const gap = (-Math.log(1 - random.next()) * 1000) / rate;
      await pause(Math.min(gap, 5_000), undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    accepted,
    odd,
    acts,
    async stop() {
      stopping.abort();
      await done;
      await Promise.all(calls);
    },
  };
}
