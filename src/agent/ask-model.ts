// One model step: the request is built from the thread, sent through the chain, and the answer counted.
import { AppError } from '../domain/errors.ts';
import { addUsage, type ModelRequest, type ToolSpec } from '../domain/message.ts';
import type { RunState } from './agent-run.ts';
import { budgetDue, budgetText, withNote } from './budget-note.ts';
import { compactForOverflow, compactWhenDue } from './compaction/compact.ts';
import { type Answer, collectAnswer } from './model-call.ts';

/** The tools that the model is told of. */
export const offeredTools = (state: RunState): ToolSpec[] =>
  state.chain.toolSpecs(
    state.run.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  );

function requestOf(state: RunState, tools: ToolSpec[]): ModelRequest {
  const { run, iterations } = state;
  const max = run.limits.max_iterations;
  const due = budgetDue(iterations, max, state.budget);
  const noted = due && withNote(state.messages, budgetText(due, iterations, max));
  if (due && noted) state.budget = due;
  return {
    model: run.model,
    messages: [{ role: 'system', content: run.prompt }, ...(noted ?? state.messages)],
    tools,
  };
}

async function collect(state: RunState, request: ModelRequest): Promise<Answer> {
  try {
    return await collectAnswer(state.run.host.model(request, state.signal), state.signal);
  } catch (error) {
    state.signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new AppError('model_error', `the model call failed: ${text}`, { cause: error });
  }
}

/** The first answer of the model after the one that answered with nothing. */
async function noteLeft(state: RunState, { after }: ModelRequest, model: string): Promise<void> {
  if (after === undefined || after !== state.ctx.model.answered || after === model) return;
  const reason = `${after} gave no answer, also after a reminder; ${model} was asked instead`;
  const policy = 'external_api_error';
  await state.run.host.policy({ policy, action: 'fallback', attempt: 1, reason });
}

/** `again`: for a step that counts already. */
async function ask(state: RunState, tools: ToolSpec[], again = false): Promise<Answer> {
  const request = requestOf(state, tools);
  await state.chain.beforeModel(state.ctx, request);
  state.run.host.progress({ activity: 'waiting for model output' });
  if (!again) state.iterations += 1;
  const answer = await collect(state, request);
  await noteLeft(state, request, answer.model);
  const { input_tokens: tokens } = answer.usage;
  state.room.measured = tokens > 0 ? { tokens, upto: state.messages.length } : null;
  return answer;
}

const isOverflow = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'context_overflow';

/** The same with older turns summarised, once: what is too long then stays too long. */
async function askShorter(state: RunState, tools: ToolSpec[], error: AppError): Promise<Answer> {
  const end = (why: string): AppError =>
    new AppError('context_overflow', `${error.message}; ${why}`, { cause: error });
  if (!(await compactForOverflow(state, tools)))
    throw end('nothing is left that could be left out of it');
  try {
    return await ask(state, tools, true);
  } catch (again) {
    throw isOverflow(again)
      ? end('its older turns were summarised, and it is still too long')
      : again;
  }
}

/** Throws AppError when the model cannot answer. Tools that ran are never run again for it. */
export async function askModel(state: RunState, tools: ToolSpec[]): Promise<Answer> {
  state.signal.throwIfAborted();
  await compactWhenDue(state, tools);
  const said = state.budget;
  const answer = await ask(state, tools).catch((error) => {
    if (!isOverflow(error)) throw error;
    // The note about the budget goes out with the request that is answered.
    state.budget = said;
    return askShorter(state, tools, error);
  });
  state.usage = addUsage(state.usage, answer.usage);
  state.ctx.model.answered = answer.model;
  if (answer.text.trim() !== '') state.text = answer.text;
  return answer;
}
