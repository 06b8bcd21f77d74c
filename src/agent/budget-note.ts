// The note about the budget of model steps: once at 70 %, once at 90 %, in the last tool result of one request.
// Only ever in a copy: the thread and its checkpoints never hold it.
import type { Message } from '../domain/message.ts';

export type BudgetSaid = 'nothing' | 'caution' | 'warning';

/** What is due before model step `done + 1` of `max`, or null. */
export function budgetDue(done: number, max: number, said: BudgetSaid): BudgetSaid | null {
  if (max <= 0) return null;
  const share = done / max;
  if (share >= 0.9) return said === 'warning' ? null : 'warning';
  if (share >= 0.7) return said === 'nothing' ? 'caution' : null;
  return null;
}

/** What a run with so many answers on its thread has been told: each note stood in the request of one answer. */
export function budgetSaid(answers: number, max: number): BudgetSaid {
  if (answers < 1 || max <= 0) return 'nothing';
  return budgetDue(answers - 1, max, 'nothing') ?? 'nothing';
}

export function budgetText(due: BudgetSaid, done: number, max: number): string {
  const left = `${done} of ${max} steps are used, ${max - done} are left`;
  return due === 'warning'
    ? `[budget warning: ${left}. Give your final answer now.]`
    : `[budget: ${left}. Start to bring the work to an end.]`;
}

/** The messages with the note in the last one if that is a tool result, else null. */
export function withNote(messages: readonly Message[], note: string): Message[] | null {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return null;
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${note}` }];
}
