// The power goes at a hundred moments of real writing, and the disk has kept of what was not yet synced: all, nothing,
// a beginning, or any part. Whatever was acknowledged is there.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectWhole } from '../store/support.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { type DiskCall, diskAfter, type Fate, readTrace, STRACE } from './disk-trace.ts';

const POINTS = 120;
const ACKS = 150;
const SECTOR = 512;

/** Deterministic: a red run can be repeated. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

/** Kept part of each write: a beginning of the writes, or each one whole, torn at a sector, or not at all. */
const models: Record<string, (random: () => number) => Fate> = {
  all: () => () => 'all',
  nothing: () => () => 'none',
  'a beginning': (random) => {
    const share = random();
    return (_write, index, of) => (index < share * of ? 'all' : 'none');
  },
  'any part':
    (random) =>
    ({ bytes }) => {
      const dice = random();
      if (dice < 0.5) return 'all';
      return dice < 0.65 && bytes > SECTOR
        ? SECTOR * Math.ceil(random() * Math.floor(bytes / SECTOR))
        : 'none';
    },
};

const traced = spawnSync('strace', ['-V']).status === 0;

/** Runs the writer until it has acknowledged enough, and kills it; its calls are in the file `trace`, if traced. */
async function runWriter(folder: string): Promise<number[]> {
  const state = join(folder, 'state');
  mkdirSync(state);
  const writer = ['--import', 'tsx', 'test/store/writer.ts', join(state, 'state.db')];
  const command = [process.execPath, ...writer];
  if (traced) command.unshift('strace', ...STRACE, '-o', join(folder, 'trace'));
  const child = spawn(command[0] as string, command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text) => {
    said += text;
  });
  await until(() => said.split('ack ').length > ACKS, 120_000, `${ACKS} acknowledgements`);
  process.kill(-(child.pid as number), 'SIGKILL');
  await until(() => child.signalCode ?? child.exitCode !== null, 10_000, 'the writer is dead');
  return [...said.matchAll(/^ack (\d+)$/gm)].map((m) => Number(m[1]));
}

const acksOf = (calls: readonly DiskCall[]): number[] =>
  calls.flatMap((call) =>
    call.op === 'said' ? [...call.text.matchAll(/^ack (\d+)$/gm)].map((m) => Number(m[1])) : [],
  );

describe('when the power goes', { timeout: 300_000 }, () => {
  it('nothing acknowledged is lost, wherever it is', async () => {
    const folder = tempFolder();
    const acks = await runWriter(folder);
    if (!traced) {
      console.warn('strace is not installed: only the kill of the writer was tried');
      return expectWhole(join(folder, 'state', 'state.db'), acks);
    }
    const calls = readTrace(join(folder, 'trace'), join(folder, 'state')).filter(
      // Shared memory and locks are made anew after a crash.
      (call) => call.op === 'said' || /\.db(-wal)?$/.test(call.path),
    );
    const first = calls.findIndex((call) => call.op === 'said');
    expect(acksOf(calls).length).toBeGreaterThanOrEqual(ACKS);
    expect(calls.filter((call) => call.op === 'sync').length).toBeGreaterThan(10);
    const random = randomNumbers(7);
    for (const [name, model] of Object.entries(models))
      for (let point = 0; point < POINTS; point += 1) {
        const count = first + 1 + Math.floor(random() * (calls.length - first));
        const place = join(folder, `${name}-${point}`);
        mkdirSync(place);
        for (const [path, bytes] of diskAfter(calls, count, model(random)))
          writeFileSync(join(place, basename(path)), bytes);
        try {
          expectWhole(join(place, 'state.db'), acksOf(calls.slice(0, count)));
        } catch (error) {
          throw new Error(`unsynced: ${name}, call ${count} of ${calls.length}`, { cause: error });
        }
        rmSync(place, { recursive: true });
      }
  });
});
