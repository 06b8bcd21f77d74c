// Follows the product's event stream and notes when each event arrived.
import { request } from 'undici';
import type { TroupeEvent } from '../src/domain/event.ts';
import { until } from '../test/support/until.ts';

export type Seen = { event: TroupeEvent; at: number };
export type EventReader = {
  /** The first event that matches, arrived already or not. Rejects after 30 s. */
  first(what: string, match: (event: TroupeEvent) => boolean): Promise<Seen>;
  /** Forgets what has arrived. */
  clear(): void;
  close(): void;
};

const WAIT_MS = 30_000;

export async function readEvents(url: string): Promise<EventReader> {
  const stop = new AbortController();
  const { body, statusCode } = await request(`${url}/v1/events`, {
    ...{ signal: stop.signal, bodyTimeout: 0 },
    headers: { accept: 'text/event-stream' },
  });
  if (statusCode !== 200) throw new Error(`/v1/events answered ${statusCode}`);
  let seen: Seen[] = [];
  let rest = '';
  body.setEncoding('utf8');
  body.on('data', (text: string) => {
    const at = performance.now();
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: ?(\{.*)$/m.exec(block)?.[1];
      if (data !== undefined) seen.push({ event: JSON.parse(data) as TroupeEvent, at });
    }
  });
  body.on('error', () => {}); // our own abort ends the stream
  return {
    first: (what, match) => until(() => seen.find(({ event }) => match(event)), WAIT_MS, what),
    clear() {
      seen = [];
    },
    close: () => stop.abort(),
  };
}
