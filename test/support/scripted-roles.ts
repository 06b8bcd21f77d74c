// A provider whose answers are written down for each role: step n of a thread is what follows on n answers of the model.
// The same thread brings the same step, also after a restart.
import { type ChatAnswer, type ChatRequest, startProvider } from './fake-provider.ts';

export type Step =
  | string
  | ChatAnswer
  | { tool: string; args: object }
  | ((request: ChatRequest) => Step);
/** By role; a role with several tasks has a function that picks the steps by the first message. */
export type Scripts = Record<string, readonly Step[] | ((task: string) => readonly Step[])>;

export const start = (subagent_type: string, description: string): Step => ({
  tool: 'start_async_task',
  args: { subagent_type, description },
});
export const write = (path: string, content: string): Step => ({
  tool: 'write',
  args: { path, content },
});

function answerOf(step: Step | undefined, request: ChatRequest): ChatAnswer {
  if (step === undefined) return { text: 'nothing more is written down' };
  if (typeof step === 'function') return answerOf(step(request), request);
  if (typeof step === 'string') return step === 'silence' ? step : { text: step };
  if ('tool' in step) return { call: step.tool, args: JSON.stringify(step.args) };
  return step;
}

export const roleOf = ({ messages }: ChatRequest): string =>
  /^role: (\S+)/.exec(messages?.[0]?.content ?? '')?.[1] ?? '';
/** The texts that tools have answered in a request. */
export const toolAnswers = ({ messages }: ChatRequest): string[] =>
  messages.filter((m) => m.role === 'tool').map((m) => m.content ?? '');

export async function scriptedRoles(scripts: Scripts) {
  const provider = await startProvider((request) => {
    // The server also asks what the provider is able to do.
    if (!request.messages) return { status: 404 };
    const script = scripts[roleOf(request)] ?? [];
    const task = request.messages.find((m) => m.role === 'user')?.content ?? '';
    const steps = typeof script === 'function' ? script(task) : script;
    const n = request.messages.filter((m) => m.role === 'assistant').length;
    return answerOf(steps[n], request);
  });
  return {
    ...provider,
    env: {
      ...{ TROUPE_MODEL: 'openai:m', OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url },
    },
    /** Requests of one role, in their order. */
    of: (role: string) => provider.requests.filter((r) => roleOf(r) === role),
  };
}
