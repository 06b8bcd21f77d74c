// The agent loop: ask the model, run its tools, checkpoint, again, until there is a final text or a reason to stop.
// The same in main and in role servers. Never calls success what is not.

import { AppError } from '../domain/errors.ts';
import { wordsIn } from '../domain/language.ts';
import type { Message } from '../domain/message.ts';
import type { RunOutcome, StepDelta } from '../domain/run.ts';
import {
  type AgentRun,
  append,
  beginState,
  checkpoint,
  mayLeave,
  openDelta,
  type RunState,
} from './agent-run.ts';
import { askModel, offeredTools } from './ask-model.ts';
import type { Answer } from './model-call.ts';
import { type Ending, endingOf, failedWith, GOAL, outcomeOf } from './outcome.ts';
import { createRunSignal } from './run-signal.ts';
import { toolRound } from './tool-round.ts';

export type Worked = { outcome: RunOutcome; last: StepDelta | null };

const notice = (content: string): Message => ({ role: 'user', kind: 'notice', content });

const NUDGE =
  'Your last answer was empty. Go on with the work, or give your final answer as text now.';
const NOTHING = 'gave no answer, also after a reminder';
const CUT_NUDGE =
  'Your last answer reached its length limit before any text came. Answer again, shorter.';
const CLOSE =
  'The limit of model steps is reached. Give your final answer now, from what is there; no tool can be used any more.';

function takeSteering(state: RunState): void {
  for (const text of state.run.steering.take())
    append(state, notice(`A message while you work; take it into account:\n${text}`));
}

/** Messages that keep the run from ending, checkpointed; false when it may end. */
async function held(state: RunState): Promise<boolean> {
  const verdict = await state.chain.beforeFinal(state.ctx);
  state.signal.throwIfAborted();
  if (verdict === 'final') return false;
  append(state, ...verdict);
  await checkpoint(state);
  return true;
}

function emptyAnswer(state: RunState, answer: Answer): Ending | null {
  if (answer.finish === 'refusal')
    return failedWith('refused', 'model_refused', 'the model refused to answer');
  if (state.nudged) {
    if (state.chain.onEmpty(state.ctx, answer.model)) return null;
    return failedWith('empty', 'empty_answer', `${answer.model} ${NOTHING}`);
  }
  state.nudged = true;
  append(state, notice(answer.finish === 'length' ? CUT_NUDGE : NUDGE));
  return null;
}

/** A step without tools: the end, unless something holds it. */
async function finalStep(state: RunState, answer: Answer): Promise<Ending | null> {
  if (answer.text.trim() === '') return emptyAnswer(state, answer);
  const { text, reasoning } = answer;
  append(state, { role: 'assistant', content: text, ...(reasoning === '' ? {} : { reasoning }) });
  state.nudged = false;
  if (answer.finish === 'refusal')
    return failedWith('refused', 'model_refused', `the model refused: ${text.slice(0, 500)}`);
  if (await held(state)) return null;
  if (!state.run.steering.close()) return null;
  if (answer.finish === 'length') state.notes.push(wordsIn(state.run.language).cut);
  return GOAL;
}

/** At the cap: outcomes of open tasks are still collected, and then one closing answer is asked for. */
async function capReached(state: RunState): Promise<Ending> {
  let collected = false;
  while (await held(state)) collected = true;
  if (collected) {
    append(state, notice(CLOSE));
    const answer = await askModel(state, []);
    if (answer.text.trim() !== '') append(state, { role: 'assistant', content: answer.text });
  }
  const max = state.run.limits.max_iterations;
  return failedWith(
    'iteration_cap',
    'iteration_cap',
    `the run used all of its ${max} model steps before it was done`,
  );
}

const isSpent = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'budget_exceeded' || error.code === 'price_unknown');

/** No call may be sent any more: outcomes of open tasks are still collected, so that what they did is not lost. */
async function spent(state: RunState, error: unknown): Promise<never> {
  while (await held(state)) state.signal.throwIfAborted();
  throw error;
}

/** A run that was interrupted while its final text was held goes on holding it; the model is not asked again. */
async function resumeHeld(state: RunState): Promise<Ending | null> {
  const last = state.messages.at(-1);
  if (last?.role !== 'assistant' || last.tool_calls?.length || last.content.trim() === '')
    return null;
  state.text = last.content;
  if (await held(state)) return null;
  return state.run.steering.close() ? GOAL : null;
}

/** After a round of tools, also one that an interruption came after: somebody may have the answer already. */
async function answered(state: RunState): Promise<Ending | null> {
  if (state.messages.at(-1)?.role !== 'tool') return null;
  const said = await state.chain.afterTools(state.ctx);
  state.signal.throwIfAborted();
  if (!said) return null;
  state.text = said.text;
  append(state, { role: 'assistant', content: said.text });
  if (said.ending.status === 'completed' && (await held(state))) return null;
  // What was said meanwhile is taken up by the model, with the answer before it.
  return state.run.steering.close() ? said.ending : null;
}

async function turns(state: RunState): Promise<Ending> {
  const early = (await resumeHeld(state)) ?? (await answered(state));
  if (early) return early;
  for (;;) {
    takeSteering(state);
    await mayLeave(state);
    const { max_iterations } = state.run.limits;
    if (max_iterations > 0 && state.iterations >= max_iterations) return capReached(state);
    const offered = offeredTools(state);
    const answer = await askModel(state, offered).catch((error: unknown) =>
      isSpent(error) ? spent(state, error) : Promise.reject(error),
    );
    if (answer.calls.length > 0) state.nudged = false;
    const ending =
      answer.calls.length > 0
        ? ((await toolRound(state, answer, offered)) ?? (await answered(state)))
        : await finalStep(state, answer);
    if (ending) return ending;
  }
}

/** What commands of the run have left running is stopped and named. */
async function endTools(run: AgentRun): Promise<string[]> {
  const left = await Promise.all(
    run.tools.map((tool) => tool.endRun?.(run.run_id).catch(() => []) ?? []),
  );
  return left.flat();
}

/** Everything but the report to main. Resolves when the model call and all tools are gone. Never throws. */
export async function workAgent(run: AgentRun): Promise<Worked> {
  const stop = createRunSignal(run.signal, run.limits.timeout_s);
  const state = await beginState(run, stop);
  let ending: Ending;
  try {
    stop.signal.throwIfAborted();
    ending = await turns(state);
  } catch (error) {
    ending = endingOf(error, stop.why());
    run.log.info({ run_id: run.run_id, err: error }, 'run ended early');
  }
  stop.close();
  run.steering.end();
  // What was said too late is in the thread for whoever goes on from it.
  takeSteering(state);
  const left = await endTools(run);
  return { outcome: outcomeOf(state, ending, left), last: openDelta(state) };
}

/** Runs an agent to its end and reports the outcome once. Rejects only when the report cannot be made. */
export async function runAgent(run: AgentRun): Promise<RunOutcome> {
  const { outcome, last } = await workAgent(run);
  await run.host.result(outcome, last);
  return outcome;
}
