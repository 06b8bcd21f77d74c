// The stream of one run, from any position of it: the rows are the stream, so that every reader sees all of it and one
// that comes back misses nothing. Ends after the run has ended and everything was sent.
import type { Reads } from '../../domain/ports.ts';
import type { ProtocolRun } from '../../domain/protocol.ts';
import type { Tasks } from '../../tasks/index.ts';
import { MAIN } from './assistants.ts';
import { newsOf } from './driver.ts';
import { type Frame, ofCheckpoint, ofEvent, ofText, type Speaking } from './frames.ts';
import type { Json } from './messages.ts';
import { nextRing } from './next-ring.ts';
import type { StreamMode } from './run-request.ts';
import { isEnd, type Look, lookAt } from './status.ts';
import type { Threads } from './threads.ts';

/** Everything up to this event and this checkpoint was sent. */
export type Position = { seq: number; checkpoint: number };
/** Frames that belong together; the position is that after the last of them. */
export type Group = { frames: Frame[]; at: Position };

export const positionText = ({ seq, checkpoint }: Position): string => `${seq}-${checkpoint}`;
export function readPosition(text: string | undefined): Position | null {
  const found = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '');
  return found ? { seq: Number(found[1]), checkpoint: Number(found[2]) } : null;
}

const PAGE = 100;

export type StreamDeps = { reads: Reads; bell: Tasks['bell']; threads: Threads };
export type StreamAsk = {
  run: ProtocolRun;
  modes: readonly StreamMode[];
  /** null: from the beginning. */
  after: Position | null;
  signal: AbortSignal;
};

export async function* streamRun(deps: StreamDeps, ask: StreamAsk): AsyncGenerator<Group> {
  const { reads, bell } = deps;
  const { modes, signal } = ask;
  const { run_id, thread_id, assistant } = ask.run;
  let at: Position = ask.after ?? { seq: 0, checkpoint: 0 };
  if (!ask.after) yield { frames: [{ event: 'metadata', data: { run_id, attempt: 1 } }], at };
  const speaking: Speaking = { run_id, thread_id, assistant, message_id: '', text: '' };

  async function* events(run: ProtocolRun): AsyncGenerator<Group> {
    const filter = assistant === MAIN ? { query_id: thread_id } : { task_id: thread_id };
    for (;;) {
      const page = await reads.events.after(at.seq, filter, PAGE);
      for (const event of page) {
        if (run.to_seq !== null && event.seq > run.to_seq) return;
        at = { ...at, seq: event.seq };
        const own = event.kind === 'output' && (assistant !== MAIN || event.task_id === null);
        const text = own ? String(event.data.text ?? '') : '';
        speaking.text += text;
        const frames = own ? ofText(text, speaking, modes) : ofEvent(event, modes);
        if (frames.length > 0 && (own || event.kind !== 'output')) yield { frames, at };
      }
      if (page.length < PAGE) return;
    }
  }

  async function* checkpoints(run: ProtocolRun): AsyncGenerator<Group> {
    for (const row of await reads.checkpoints.rows(thread_id, at.checkpoint)) {
      if (run.to_checkpoint !== null && row.seq > run.to_checkpoint) return;
      at = { ...at, checkpoint: row.seq };
      speaking.message_id = `${row.run_id}:${row.step + 1}:0`;
      speaking.text = '';
      const state = await deps.threads.stateAt(thread_id, row.seq);
      const frames = ofCheckpoint(row, { values: state.values, state }, speaking, modes);
      if (frames.length > 0) yield { frames, at };
    }
  }

  while (!signal.aborted) {
    const { rung, leave } = nextRing(bell, newsOf(thread_id), signal);
    try {
      const run = await reads.protocol.run(run_id);
      const look = run ? await lookAt(reads, run) : null;
      if (run && run.state !== 'waiting') {
        // What was there before the run is not its own, from wherever a reader comes.
        at = {
          seq: Math.max(at.seq, run.from_seq),
          checkpoint: Math.max(at.checkpoint, run.from_checkpoint),
        };
        speaking.message_id ||= `${run_id}:0:0`;
        yield* events(run);
        yield* checkpoints(run);
      }
      if (!look || isEnd(look.status)) {
        yield { frames: await lastWords(deps, ask.run, look, modes), at };
        return;
      }
      await rung;
    } finally {
      leave();
    }
  }
}

async function lastWords(
  { threads }: StreamDeps,
  { run_id, thread_id }: ProtocolRun,
  look: Look | null,
  modes: readonly StreamMode[],
): Promise<Frame[]> {
  const out: Frame[] = [];
  const status = look?.status ?? 'interrupted';
  if (status === 'error' || status === 'timeout') out.push({ event: 'error', data: errorOf(look) });
  if (look?.open) {
    const asked: Json = { __interrupt__: await threads.interruptsOf(thread_id) };
    if (modes.includes('updates')) out.push({ event: 'updates', data: asked });
    if (modes.includes('values')) {
      const { values } = await threads.stateAt(thread_id, null);
      out.push({ event: 'values', data: { ...values, ...asked } });
    }
  }
  out.push({ event: 'end', data: { run_id, status, reason: look?.reason ?? null } });
  return out;
}

/** An outcome that is no answer, as clients raise it. */
export const errorOf = (look: Look | null): { error: string; message: string } => ({
  error: look?.status === 'timeout' ? 'RunTimeout' : 'RunError',
  message: look?.error ?? 'the run failed',
});
