// The three ways to follow a run over HTTP: to its end, as a stream, and every run of a thread.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProtocolRun } from '../../domain/protocol.ts';
import type { Protocol } from './context.ts';
import { newsOf } from './driver.ts';
import type { Json } from './messages.ts';
import { nextRing } from './next-ring.ts';
import { modesOf, type StreamMode } from './run-request.ts';
import { errorOf, positionText, readPosition, streamRun } from './run-stream.ts';
import { type Out, sendLate, sendStream, type Told } from './sse.ts';
import type { Look } from './status.ts';

function outOf({ deps, closing }: Protocol, reply: FastifyReply, left: () => void): Out {
  const { heartbeat_ms, reader_bytes } = deps.limits;
  return { reply, heartbeat_ms, reader_bytes, closing, left };
}

/** Whoever asked for it wants the run stopped when its reader goes. */
const onLeave = (protocol: Protocol, run: ProtocolRun, cancel: boolean) => (): void => {
  if (!cancel) return;
  protocol.runs
    .cancel(run, 'interrupt', 'its reader left, and on_disconnect is "cancel"')
    .catch((error: unknown) =>
      protocol.deps.log.debug({ err: error, run_id: run.run_id }, 'a run went on'),
    );
};

/** What a caller that waits is told: the values, or the error in their place. */
export async function answerOf(
  { runs, threads }: Protocol,
  run: ProtocolRun,
  look: Look,
): Promise<Json> {
  if (look.status === 'error' || look.status === 'timeout') return { __error__: errorOf(look) };
  const values = await runs.values(run);
  if (!look.open) return values;
  return { ...values, __interrupt__: await threads.interruptsOf(run.thread_id) };
}

export async function tellEnd(
  protocol: Protocol,
  reply: FastifyReply,
  run: ProtocolRun,
  ask: { cancel: boolean; shape?: (values: Json, run: ProtocolRun) => Promise<Json> },
): Promise<FastifyReply> {
  const letGo = protocol.driver.hold(run.thread_id);
  const out = outOf(protocol, reply, onLeave(protocol, run, ask.cancel));
  try {
    await sendLate(out, async (gone) => {
      const look = await protocol.runs.untilEnded(run, gone);
      if (gone.aborted) return null;
      const answer = await answerOf(protocol, run, look);
      return ask.shape ? ask.shape(answer, run) : answer;
    });
  } finally {
    letGo();
  }
  return reply;
}

export async function tellRun(
  protocol: Protocol,
  request: FastifyRequest,
  reply: FastifyReply,
  run: ProtocolRun,
  ask: { cancel: boolean; modes: StreamMode[] },
): Promise<FastifyReply> {
  const { deps, threads, driver } = protocol;
  const letGo = driver.hold(run.thread_id);
  const after = readPosition(lastEventId(request));
  const from = { reads: deps.store.reads, bell: deps.tasks.bell, threads };
  const out = outOf(protocol, reply, onLeave(protocol, run, ask.cancel));
  try {
    await sendStream(out, async function* told(signal): AsyncGenerator<Told> {
      for await (const { frames, at } of streamRun(from, { run, modes: ask.modes, after, signal }))
        yield { frames, id: positionText(at) };
    });
  } finally {
    letGo();
  }
  return reply;
}

export const lastEventId = (request: FastifyRequest): string | undefined => {
  const given = request.headers['last-event-id'];
  return typeof given === 'string' ? given : undefined;
};
export const modesIn = (request: FastifyRequest): StreamMode[] => {
  const { stream_mode } = request.query as { stream_mode?: unknown };
  const list = typeof stream_mode === 'string' ? stream_mode.split(',') : stream_mode;
  return modesOf(list);
};

/** Every run of a thread, one after the other, those that come later too. Ends when the reader leaves. */
export async function tellThread(
  protocol: Protocol,
  request: FastifyRequest,
  reply: FastifyReply,
  thread_id: string,
  modes: StreamMode[],
): Promise<FastifyReply> {
  const { deps, threads } = protocol;
  const { reads } = deps.store;
  const from = { reads, bell: deps.tasks.bell, threads };
  const [run_id, position] = (lastEventId(request) ?? '').split('/');
  const known = await reads.protocol.runsOf(thread_id);
  const at = known.findIndex((run) => run.run_id === run_id);
  // Without a place to go on from, what has ended already is not told again.
  const seen = new Set(
    known.filter((run, i) => (at >= 0 ? i < at : run.state === 'ended')).map((run) => run.run_id),
  );
  const out = outOf(protocol, reply, () => {});
  await sendStream(out, async function* told(signal): AsyncGenerator<Told> {
    while (!signal.aborted) {
      const { rung, leave } = nextRing(deps.tasks.bell, newsOf(thread_id), signal);
      const next = (await reads.protocol.runsOf(thread_id)).find((run) => !seen.has(run.run_id));
      if (!next) {
        await rung;
        continue;
      }
      leave();
      seen.add(next.run_id);
      const after = next.run_id === run_id ? readPosition(position) : null;
      for await (const group of streamRun(from, { run: next, modes, after, signal }))
        yield { frames: group.frames, id: `${next.run_id}/${positionText(group.at)}` };
    }
  });
  return reply;
}
