// One run on somebody else's Agent Protocol server, from POST to outcome. Found again by its run id after a
// restart of main. Sends the new messages only: the other side keeps the thread.
import { AppError, type Failure, toFailure } from '../domain/errors.ts';
import { type Message, noUsage } from '../domain/message.ts';
import type { Envelope, RunHost, RunOutcome } from '../domain/run.ts';
import type { ProtocolClient } from '../wire/protocol-client.ts';

export type RemoteRunDeps = {
  api: ProtocolClient;
  envelope: Envelope;
  graph_id: string;
  host: RunHost;
  poll_ms: number;
};
export type RemoteRun = {
  /** Rejects when the other side did not take the run: no outcome is reported then. */
  accepted: Promise<void>;
  /** Resolves when nothing more happens here. */
  ended: Promise<void>;
  cancel(): Promise<void>;
  /** Stops looking, without an outcome. */
  detach(): void;
};

/** So long a server that took the run may be away before the run has failed. */
const AWAY_MS = 60_000;

export function driveRun({ api, envelope, graph_id, host, poll_ms }: RemoteRunDeps): RemoteRun {
  const thread = `/threads/${encodeURIComponent(envelope.thread_id)}`;
  let run_id = '';
  let detached = false;
  let cancelled = false;

  async function accept(): Promise<void> {
    await api.call('POST', '/threads', { thread_id: envelope.thread_id, if_exists: 'do_nothing' });
    const known = await api.call('GET', `${thread}/runs?limit=100`).catch(() => []);
    const mine = Array.isArray(known)
      ? known.find((run) => run?.metadata?.troupe_run_id === envelope.run_id)
      : undefined;
    const run = (mine ??
      (await api.call('POST', `${thread}/runs`, {
        assistant_id: graph_id,
        input: { messages: withShape(envelope) },
        metadata: { troupe_run_id: envelope.run_id },
        multitask_strategy: 'interrupt',
      }))) as { run_id?: unknown } | null;
    if (typeof run?.run_id !== 'string')
      throw new AppError('server_unreachable', 'the remote server gave the run no run_id');
    run_id = run.run_id;
  }

  async function follow(): Promise<void> {
    let seen = performance.now();
    while (!detached) {
      try {
        const run = (await api.call('GET', `${thread}/runs/${run_id}`)) as { status?: string };
        seen = performance.now();
        if (run.status !== 'pending' && run.status !== 'running') return finish(run);
        host.progress({ activity: `remote run ${run.status}` });
      } catch (error) {
        const lost = error instanceof AppError && error.code === 'not_found';
        if (lost) return report(outcome('failed', '', { ...toFailure(error), code: 'lost' }));
        if (performance.now() - seen > AWAY_MS)
          return report(outcome('failed', '', toFailure(error)));
      }
      await new Promise((resolve) => setTimeout(resolve, poll_ms));
    }
  }

  async function finish(run: { status?: string; error?: unknown }): Promise<void> {
    const text = await lastText().catch(() => '');
    if (run.status === 'success') return report(outcome('completed', text, null));
    if (run.status === 'interrupted' && cancelled) return report(outcome('cancelled', text, null));
    const said = typeof run.error === 'string' ? `: ${run.error}` : '';
    const message = `the remote run ended as ${run.status}${said}`;
    const code = run.status === 'timeout' ? 'run_timeout' : 'internal';
    return report(outcome('failed', text, { code, message, reasons: [message] }));
  }
  async function lastText(): Promise<string> {
    const state = (await api.call('GET', `${thread}/state`)) as {
      values?: { messages?: { content?: unknown }[] };
    } | null;
    const content = state?.values?.messages?.at(-1)?.content ?? '';
    return typeof content === 'string' ? content : JSON.stringify(content);
  }
  const report = (result: RunOutcome): Promise<void> => host.result(result, null);

  const accepted = accept();
  const ended = accepted.then(follow).catch(() => {});
  return {
    accepted,
    ended,
    async cancel() {
      cancelled = true;
      await accepted.catch(() => {});
      if (run_id === '') return;
      // Already finished there: its own outcome stands.
      await api
        .call('POST', `${thread}/runs/${run_id}/cancel?wait=0&action=interrupt`, {})
        .catch(() => {});
    },
    detach() {
      detached = true;
    },
  };
}

/** The other side knows nothing of output schemas: it is told in words. Main checks the result. */
function withShape({ messages, output_schema: schema }: Envelope) {
  if (schema === null) return newMessages(messages);
  const content = `Answer with JSON that fits this JSON Schema, and nothing beside it: ${JSON.stringify(schema)}`;
  return [...newMessages(messages), { role: 'user', content }];
}

/** What came after the last answer of the agent. */
export function newMessages(messages: readonly Message[]): { role: string; content: string }[] {
  const last = messages.findLastIndex((m) => m.role === 'assistant' || m.role === 'tool');
  return messages.slice(last + 1).map(({ role, content }) => ({ role, content }));
}

function outcome(status: RunOutcome['status'], text: string, error: Failure | null): RunOutcome {
  const reasons = { completed: 'goal', cancelled: 'cancelled', failed: 'error' } as const;
  return {
    status,
    end_reason: error?.code === 'run_timeout' ? 'timeout' : reasons[status],
    text,
    error,
    usage: noUsage(),
    iterations: 0,
    model: null,
    background_left: [],
  };
}
