import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { joinSignals } from '../../src/domain/join-signals.ts';
import { createAbilities } from '../../src/models/ollama-abilities.ts';
import { upstreamBeside } from '../models/support/upstream.ts';
import { hang } from '../models/wire/bytes.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** Memory is collected again and again while the work goes on. */
async function collecting<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--expose_gc');
  const gc = runInNewContext('gc') as () => void;
  const timer = setInterval(gc, 10);
  return work().finally(() => clearInterval(timer));
}

describe('signals that are joined', () => {
  it('end with the first of them, for its reason, and let go of all', () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const { signal } = joinSignals([a.signal, undefined, b.signal]);
    expect([listenersOf(a.signal), listenersOf(b.signal)]).toEqual([1, 1]);
    b.abort(new Error('enough'));
    expect(signal.reason).toMatchObject({ message: 'enough' });
    expect([listenersOf(a.signal), listenersOf(b.signal)]).toEqual([0, 0]);
    expect(joinSignals([a.signal, b.signal]).signal.aborted).toBe(true);
    expect(listenersOf(a.signal)).toBe(0);
  });

  it('leave nothing on a long-lived one when they are released', () => {
    const life = new AbortController();
    for (let i = 0; i < 100; i += 1) joinSignals([life.signal], 60_000).release();
    expect(listenersOf(life.signal)).toBe(0);
  });

  it('end at the deadline, also when memory is collected meanwhile', async () => {
    const life = new AbortController();
    const { signal } = joinSignals([life.signal], 100);
    await collecting(() => new Promise((resolve) => signal.addEventListener('abort', resolve)));
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('keep the deadline of a question to a server that says nothing', async () => {
    const silent = hang({ type: 'application/json', bytes: Buffer.alloc(0) });
    const up = await upstreamBeside({ '/api/show': silent });
    const life = new AbortController();
    const asked = () => createAbilities(up.url, 200).of('m', life.signal);
    expect(await collecting(asked)).toBeNull();
  });
});
