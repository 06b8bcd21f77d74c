// Readers of the event stream that go on after every end of the server, and keep what they were told.
import { setTimeout as pause } from 'node:timers/promises';
import type { TroupeEvent } from '../../src/domain/event.ts';
import { joinSignals } from '../../src/domain/join-signals.ts';

export type Read = TroupeEvent & { prev_seq: number };
export type Reader = {
  seen: Read[];
  connections(): number;
  close(): Promise<void>;
};
export type ReaderAsk = {
  url: () => string | null;
  /** More of the query string: `kinds=subagent`. */
  filter?: string;
  onEvent?: (event: Read) => void;
};

/** A connection that is refused or cut: the next one may work. */
const AGAIN_MS = 50;
/** Heartbeats come every 5 s: longer silence is a frozen server, whose successor is asked. */
const SILENCE_MS = 12_000;

/** Reads all events from the first on; after a cut it resumes behind the last one that it has seen. */
export function openReader({ url, filter = '', onEvent }: ReaderAsk): Reader {
  const seen: Read[] = [];
  const closing = new AbortController();
  let connections = 0;

  function take(frame: string): void {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (data === undefined || !/^id: \d+$/m.test(frame)) return;
    const event = JSON.parse(data) as Read;
    seen.push(event);
    onEvent?.(event);
  }
  async function read(base: string): Promise<void> {
    const cut = new AbortController();
    const ending = joinSignals([closing.signal, cut.signal]);
    let silence = setTimeout(() => cut.abort(), SILENCE_MS);
    try {
      const answer = await fetch(`${base}/v1/events?${filter}`, {
        headers: { accept: 'text/event-stream', 'last-event-id': String(seen.at(-1)?.seq ?? 0) },
        signal: ending.signal,
      });
      connections += 1;
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
        clearTimeout(silence);
        silence = setTimeout(() => cut.abort(), SILENCE_MS);
        rest += decoder.decode(chunk, { stream: true });
        const frames = rest.split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) take(frame);
      }
    } finally {
      clearTimeout(silence);
      ending.release();
    }
  }
  const done = (async () => {
    while (!closing.signal.aborted) {
      const base = url();
      if (base !== null) await read(base).catch(() => {});
      if (!closing.signal.aborted) await pause(AGAIN_MS);
    }
  })();
  return {
    seen,
    connections: () => connections,
    async close() {
      closing.abort();
      await done;
    },
  };
}
