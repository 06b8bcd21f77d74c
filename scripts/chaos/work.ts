// What the clients of a chaos run ask for: drawn from the seed, each with the answer that it must get.
import type { Random } from './random.ts';

export const JOB_KINDS = ['plain', 'shell', 'background', 'nested', 'query'] as const;
export type JobKind = (typeof JOB_KINDS)[number];
export const ACT_KINDS = ['cancel', 'update', 'enqueue', 'steer'] as const;
export type ActKind = (typeof ACT_KINDS)[number];
export type Act = { kind: ActKind; after_ms: number; text: string };
export type Job = {
  /** Idempotency-Key: a repeated submit is the same piece of work. */
  key: string;
  kind: JobKind;
  path: '/v1/tasks' | '/v1/queries';
  body: Record<string, string>;
  /** The text that it must end with. */
  result: string;
  /** Most tasks that may be started under it. */
  children: number;
  act: Act | null;
};

/** Few enough to be started often, more than one process limit would hold at once. */
const ROLES = ['coder', 'planner', 'architect', 'backend', 'debugger', 'frontend'] as const;
const HELPERS = ['researcher', 'reviewer'] as const;
const WEIGHTED: readonly JobKind[] = [
  ...(['plain', 'plain', 'plain', 'plain', 'shell', 'shell'] as const),
  ...(['background', 'nested', 'nested', 'query'] as const),
];
/** Left running on purpose: the end of the run, or of main, has to take them along. */
const LEAVES = [
  'sleep 600 & echo left',
  'setsid sleep 600 & echo left',
  '(setsid sh -c "sleep 600 & sleep 601" &) ; echo left',
  'trap "" TERM; sleep 600 & echo left',
];

const tool = (name: string, args: object): string => `[[tool ${name} ${JSON.stringify(args)}]]`;
const delay = (random: Random, most: number): string => `[[delay=${random.between(0, most)}]]`;
/** Each run of the command leaves one line in the file `ran`. */
const once = (rest: string): string => `echo ran >> ran; ${rest}`;

function descriptionOf(kind: JobKind, result: string, random: Random): [string, number] {
  switch (kind) {
    case 'plain':
      return [`${delay(random, 1_500)} ${result}`, 0];
    case 'shell': {
      const command = once(`sleep ${random.between(0, 12) / 10}`);
      return [`${tool('shell', { command })} ${delay(random, 300)} ${result}`, 0];
    }
    case 'background': {
      const args = random.chance(0.5)
        ? { command: once(random.pick(LEAVES)) }
        : { command: once('sleep 600'), background: true };
      return [`${tool('shell', args)} ${delay(random, 600)} ${result}`, 0];
    }
    case 'nested':
    case 'query': {
      const count = random.between(1, 3);
      const roles = kind === 'query' ? ROLES : HELPERS;
      const starts = Array.from({ length: count }, (_, n) =>
        tool('start_async_task', {
          subagent_type: random.pick(roles),
          description: `${delay(random, 1_200)} part ${n + 1} of ${result}`,
        }),
      );
      return [`${starts.join(' ')} ${result}`, count];
    }
  }
}

function actOf(kind: JobKind, n: number, random: Random): Act | null {
  const draw = random.next();
  const after_ms = random.between(0, random.chance(0.3) ? 12_000 : 2_500);
  if (draw < 0.08) return { kind: 'cancel', after_ms, text: `not wanted any more ${n}` };
  if (kind === 'query') return null;
  if (draw < 0.2) {
    const text = `${delay(random, 600)} update of ${n}`;
    return { kind: draw < 0.14 ? 'update' : 'enqueue', after_ms, text };
  }
  return draw < 0.26 ? { kind: 'steer', after_ms, text: `by the way, ${n}` } : null;
}

/** The same seed gives the same jobs in the same order. */
export function createWork(seed: number, random: Random) {
  let n = 0;
  return function next(): Job {
    n += 1;
    const kind = random.pick(WEIGHTED);
    const result = `answer ${n} of ${seed}`;
    const [text, children] = descriptionOf(kind, result, random);
    const subagent_type = kind === 'nested' ? 'planner' : random.pick(ROLES);
    return {
      ...{ key: `chaos-${seed}-${n}`, kind, result, children },
      path: kind === 'query' ? '/v1/queries' : '/v1/tasks',
      body: kind === 'query' ? { input: text } : { subagent_type, description: text },
      act: actOf(kind, n, random),
    };
  };
}
