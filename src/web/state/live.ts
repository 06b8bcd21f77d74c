// The one stream of the page: every event from where the page stands, resumed by its number after a break.
// Where the server cannot go on from there, everything that is shown is fetched again.
import { signal } from '@preact/signals';
import type { TroupeEvent } from '../../domain/event.ts';
import { ApiError, authHeaders, get, keyWanted } from '../net/api.ts';
import { type Frame, readStream } from '../net/sse.ts';

export type Connection = { state: 'connecting' | 'live' | 'offline'; since: number; tries: number };
export const connection = signal<Connection>({ state: 'connecting', since: Date.now(), tries: 0 });
/** Rises when everything has to be fetched again. */
export const generation = signal(0);

type Listener = (events: TroupeEvent[]) => void;
const listeners = new Set<Listener>();
/** Called with what has arrived, at most once a frame of the screen. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The server sends a heartbeat every 5 s. */
const SILENT_MS = 15_000;
const PAUSES_MS = [250, 500, 1_000, 2_000, 5_000];
/** As many failed tries in a row mean that nobody is there. */
const OFFLINE_TRIES = 3;
/** Events that wait for the next frame; a hidden tab gets no frames. */
const HELD = 20_000;

let last: number | null = null;
let held: TroupeEvent[] = [];
let planned = false;

function flush(): void {
  planned = false;
  const events = held;
  held = [];
  for (const listener of listeners) listener(events);
}
function hold(event: TroupeEvent): void {
  held.push(event);
  if (planned) return;
  planned = true;
  // A hidden page draws nothing, but its counters go on.
  if (document.hidden || held.length > HELD) setTimeout(flush, 100);
  else requestAnimationFrame(flush);
}

function take({ event, data }: Frame): 'go on' | 'refetch' | 'leave' {
  if (event === 'resync') return 'refetch';
  if (event === 'shutdown' || event === 'end') return 'leave';
  const given = JSON.parse(data) as TroupeEvent & { prev_seq: number };
  if (last !== null && given.seq <= last) return 'go on';
  last = given.seq;
  hold(given);
  return 'go on';
}

async function whereTheLogEnds(): Promise<number> {
  const { last_seq } = await get<{ last_seq: number }>('/v1/status');
  return last_seq;
}

async function connectOnce(): Promise<void> {
  const fresh = last === null;
  last ??= await whereTheLogEnds();
  const response = await fetch(`/v1/events?after=${last}`, {
    headers: { ...authHeaders(), accept: 'text/event-stream' },
  });
  if (response.status === 401) keyWanted.value = 'this server needs an API key';
  if (!response.ok) {
    if (response.status === 410 || response.status === 400) last = null;
    throw new Error(`the stream was refused: ${response.status}`);
  }
  if (fresh) generation.value += 1;
  connection.value = { state: 'live', since: Date.now(), tries: 0 };
  let verdict: ReturnType<typeof take> = 'go on';
  await readStream(response, SILENT_MS, (frame) => {
    if (verdict === 'go on') verdict = take(frame);
  });
  if ((verdict as string) === 'refetch') last = null;
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      removeEventListener('online', done);
      removeEventListener('troupe-retry', done);
      resolve();
    }
    addEventListener('online', done);
    addEventListener('troupe-retry', done);
  });
/** Tries at once, without waiting for the pause to end. */
export const retryNow = (): void => void dispatchEvent(new Event('troupe-retry'));

function lost(): void {
  const { state, since, tries } = connection.value;
  connection.value = {
    state: tries + 1 >= OFFLINE_TRIES ? 'offline' : 'connecting',
    since: state === 'live' ? Date.now() : since,
    tries: tries + 1,
  };
}

/** Never ends: the page lives as long as the tab. */
export async function stayConnected(): Promise<never> {
  for (;;) {
    try {
      await connectOnce();
      connection.value = { state: 'connecting', since: Date.now(), tries: 0 };
    } catch (error) {
      lost();
      if (error instanceof ApiError && error.problem.status === 401) {
        // Whoever types a key wants to see something at once.
        await pause(PAUSES_MS.at(-1) as number);
        continue;
      }
    }
    await pause(PAUSES_MS[Math.min(connection.value.tries, PAUSES_MS.length - 1)] as number);
  }
}
