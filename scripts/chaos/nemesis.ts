// Breaks things, by chance and by the seed: kills, freezes and stops main, kills and freezes role servers, kills
// tool commands and the guard.
// What it has frozen it thaws or kills itself; when it has stopped nothing is frozen any more.
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerInfo } from '../../src/domain/ports.ts';
import { familyOf, guardOf, isCommand, isGuard, type Proc, procOf, signalTo } from './processes.ts';
import type { Product } from './product.ts';
import type { Random } from './random.ts';

export const FAULTS = [
  'main_killed',
  'main_frozen',
  'main_stopped',
  'server_killed',
  'server_frozen',
  'command_killed',
  'guard_killed',
] as const;
export type Fault = (typeof FAULTS)[number];
/** What was going on when main was killed. */
export const MOMENTS = [
  'booting',
  'server_starting',
  'tool_at_work',
  'run_at_work',
  'idle',
] as const;
export type Moment = (typeof MOMENTS)[number];

export type NemesisDeps = {
  product: Product;
  random: Random;
  /** As the readers know it. */
  now(): { runs: number; tools: number; starting: number };
  servers(): Promise<ServerInfo[]>;
};
export type Nemesis = {
  all: Record<Fault, number>;
  /** Those that hit while runs were at work. */
  at_work: Record<Fault, number>;
  moments: Record<Moment, number>;
  /** Longest time, ms, that anything of a killed main lived on. */
  slowest_end_ms(): number;
  stop(): Promise<void>;
};

/** From "main listens" to its next fault. */
const MAIN_EVERY = [50, 3_400] as const;
/** From its spawn, where it shall not live to listen. */
const BOOT = [10, 700] as const;
const OTHER_EVERY = [250, 1_100] as const;
/** Also longer than the probes wait: then it is killed as hung. */
const FROZEN = [200, 7_000] as const;
const MAIN_FROZEN = [200, 2_000] as const;
/** The promise is 2 s. What lives longer than this is reported with what it is. */
const GONE_MS = 10_000;
const OF_MAIN: readonly Fault[] = [
  ...(['main_killed', 'main_killed', 'main_killed', 'main_killed'] as const),
  ...(['main_killed', 'main_killed', 'main_frozen', 'main_stopped'] as const),
];
const OF_OTHERS: readonly Fault[] = [
  ...(['server_killed', 'server_killed', 'server_killed', 'server_killed'] as const),
  ...(['server_frozen', 'command_killed', 'command_killed', 'guard_killed'] as const),
];

/** Takes one out of the bag; an empty one is filled first, so that each comes in its turn. */
function draw({ bag, fill }: { bag: Fault[]; fill: readonly Fault[] }, random: Random): Fault {
  if (bag.length === 0) bag.push(...fill);
  return bag.splice(random.between(0, bag.length - 1), 1)[0] as Fault;
}

const zeros = <K extends string>(names: readonly K[]): Record<K, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;

export function startNemesis({ product, random, now, servers }: NemesisDeps): Nemesis {
  const stopping = new AbortController();
  const { signal } = stopping;
  const all = zeros(FAULTS);
  const at_work = zeros(FAULTS);
  const moments = zeros(MOMENTS);
  const watches: Promise<void>[] = [];
  let slowest = 0;

  const rest = (ms: number): Promise<void> => pause(ms, undefined, { signal }).catch(() => {});
  const between = ([least, most]: readonly [number, number]) => random.between(least, most);

  function count(fault: Fault): void {
    all[fault] += 1;
    if (now().runs > 0) at_work[fault] += 1;
  }
  function momentOf(booting: boolean): Moment {
    const { runs, tools, starting } = now();
    if (booting) return 'booting';
    if (starting > 0) return 'server_starting';
    if (tools > 0) return 'tool_at_work';
    return runs > 0 ? 'run_at_work' : 'idle';
  }
  /** How long the family of a main outlives it. */
  async function watch(family: Proc[]): Promise<void> {
    const begun = performance.now();
    while (performance.now() - begun < GONE_MS) {
      if (!family.some((row) => procOf(row.pid)?.started === row.started)) break;
      await pause(20);
    }
    slowest = Math.max(slowest, performance.now() - begun);
  }
  function killMain(row: Proc, booting: boolean): void {
    // The guard stays for a second on purpose.
    const every = booting ? [] : familyOf(product.instances().slice(-1));
    const mine = every.filter((one) => !isGuard(one) && one.pid !== row.pid);
    moments[momentOf(booting)] += 1;
    count('main_killed');
    product.expectEnd('SIGKILL');
    if (signalTo(row, 'SIGKILL')) watches.push(watch(mine));
  }

  async function freeze(row: Proc, ms: number, then: 'SIGCONT' | 'SIGKILL'): Promise<void> {
    if (!signalTo(row, 'SIGSTOP')) return;
    await rest(ms);
    signalTo(row, then);
  }

  const mains = { bag: [], fill: OF_MAIN };
  async function hurtMain(): Promise<void> {
    while (!signal.aborted) {
      const life = product.life();
      if (!life) {
        await rest(10);
        continue;
      }
      // A start that is killed again and again is no server: most of them may listen first.
      const patient = random.chance(0.85);
      const wait = between(patient ? MAIN_EVERY : BOOT);
      while (patient && life.listening_at === null && product.life() === life && !signal.aborted)
        await rest(10);
      await rest(wait);
      const row = procOf(life.pid);
      if (signal.aborted || product.life() !== life || !row) continue;
      const fault = draw(mains, random);
      if (fault === 'main_frozen') {
        count(fault);
        await freeze(row, between(MAIN_FROZEN), 'SIGCONT');
        if (random.chance(0.5)) continue;
      } else if (fault === 'main_stopped' && life.listening_at !== null) {
        count(fault);
        product.expectEnd(0);
        signalTo(row, 'SIGTERM');
        // A stop under way may be cut short as well.
        if (random.chance(0.3)) await rest(between(BOOT));
        else while (product.life() === life && !signal.aborted) await rest(5);
      }
      if (signal.aborted || product.life() !== life) continue;
      killMain(row, life.listening_at === null);
      while (product.life() === life) await rest(5);
    }
  }

  async function victim(fault: Fault): Promise<Proc | null> {
    const main = product.life();
    if (!main) return null;
    if (fault === 'guard_killed') return guardOf(main.pid);
    if (fault === 'command_killed') {
      const commands = familyOf(product.instances().slice(-1)).filter(isCommand);
      return commands.length > 0 ? random.pick(commands) : null;
    }
    const living = (await servers()).filter(({ pid }) => pid !== null);
    const busy = living.filter(({ active_runs }) => active_runs > 0);
    const list = busy.length > 0 && random.chance(0.8) ? busy : living;
    return list.length > 0 ? procOf(random.pick(list).pid as number) : null;
  }
  async function hurtOthers(): Promise<void> {
    const others = { bag: [] as Fault[], fill: OF_OTHERS };
    while (!signal.aborted) {
      await rest(between(OTHER_EVERY));
      const fault = draw(others, random);
      const row = await victim(fault).catch(() => null);
      if (signal.aborted) return;
      if (!row) {
        others.bag.push(fault);
        continue;
      }
      if (fault === 'server_frozen') {
        count(fault);
        watches.push(freeze(row, between(FROZEN), random.chance(0.6) ? 'SIGCONT' : 'SIGKILL'));
      } else if (signalTo(row, 'SIGKILL')) count(fault);
    }
  }

  const done = Promise.all([hurtMain(), hurtOthers()]);
  return {
    all,
    at_work,
    moments,
    slowest_end_ms: () => Math.round(slowest),
    async stop() {
      stopping.abort();
      await done;
      await Promise.all(watches);
    },
  };
}
