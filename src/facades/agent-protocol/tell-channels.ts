// Every run of a thread on channels: from the one that is at work, or the last, on.
import type { FastifyReply } from 'fastify';
import type { Protocol } from './context.ts';
import { newsOf } from './driver.ts';
import type { Frame } from './frames.ts';
import { nextRing } from './next-ring.ts';
import { streamRun } from './run-stream.ts';
import { sendStream, type Told } from './sse.ts';
import { createThreadEvents, modesFor } from './thread-events.ts';

/** Events that one group of frames may become; numbers of groups are this far apart. */
const APART = 1_024;

export async function tellChannels(
  { deps, threads, closing }: Protocol,
  reply: FastifyReply,
  thread_id: string,
  { channels, since }: { channels: string[]; since: number | null },
): Promise<FastifyReply> {
  const { reads } = deps.store;
  const { heartbeat_ms, reader_bytes } = deps.limits;
  const from = { reads, bell: deps.tasks.bell, threads };
  const modes = modesFor(channels);
  const wants = (channel: string): boolean =>
    channels.some((name) => name.split(':', 1)[0] === channel);
  const known = await reads.protocol.runsOf(thread_id);
  const open = known.findIndex(({ state }) => state !== 'ended');
  const first = open >= 0 ? open : Math.max(0, known.length - 1);
  const skipped = since === null ? known.slice(0, first) : [];
  const seen = new Set(skipped.map(({ run_id }) => run_id));
  const out = { reply, heartbeat_ms, reader_bytes, closing, left() {} };

  let next = 0;
  await sendStream(out, async function* told(signal): AsyncGenerator<Told> {
    while (!signal.aborted) {
      const { rung, leave } = nextRing(deps.tasks.bell, newsOf(thread_id), signal);
      const run = (await reads.protocol.runsOf(thread_id)).find(({ run_id }) => !seen.has(run_id));
      if (!run) {
        await rung;
        continue;
      }
      leave();
      seen.add(run.run_id);
      const translate = createThreadEvents(run);
      // Counted within its method, an event has the same id for every reader, whichever channels it asked for.
      const counts = new Map<string, number>();
      for await (const { frames, at } of streamRun(from, { run, modes, after: null, signal })) {
        // Positions of later runs are above those of earlier ones, and so are the numbers made of them.
        next = Math.max(next, (run.from_seq + at.seq + at.checkpoint) * APART);
        const lines: Frame[] = [];
        for (const { channel, method, data } of frames.flatMap(translate)) {
          const n = counts.get(method) ?? 0;
          counts.set(method, n + 1);
          const seq = next++;
          if (!wants(channel) || (since !== null && seq <= since)) continue;
          const params = { namespace: [], timestamp: Date.now(), data };
          const event_id = `${run.run_id}:${method}:${n}`;
          lines.push({ event: 'message', data: { type: 'event', event_id, seq, method, params } });
        }
        yield { frames: lines, id: `${run.run_id}:${next}` };
      }
    }
  });
  return reply;
}
