// What is said when a call may not be sent: which limit, its numbers, and what to do. Pure.
import type { Refusal } from './budget.ts';

export type Told = { state: string; detail: string; data: Record<string, unknown> };

const usd = (n: number): string => `${n.toFixed(n !== 0 && n < 0.01 ? 6 : 4)} USD`;
const tokens = (n: number): string => `${n} tokens`;

const WHOSE = {
  node: (main: boolean): string => (main ? 'the main agent' : 'this task'),
  tree: (): string => 'this query with all its tasks',
  day: (): string => 'this day (UTC)',
};
const RAISE = {
  node: '',
  tree: ', or the limit of the query,',
  day: ', or wait for the next day,',
};

export function refusedText(model: string, refusal: Refusal, main: boolean): Told {
  const { scope, unit, limit, spent, reserved, needed } = refusal;
  const show = unit === 'usd' ? usd : tokens;
  const held = reserved > 0 ? `, ${show(reserved)} are set aside for calls under way` : '';
  const detail =
    `the limit for ${WHOSE[scope](main)} is ${show(limit)}: ${show(spent)} are spent${held}, and the next call of ` +
    `${model} needs at least ${show(needed)}. It was not sent. Raise [limits] ${scope}_${unit}${RAISE[scope]} to go on`;
  return { state: 'budget_exceeded', detail, data: { model, ...refusal } };
}

export const noPrice = (model: string): Told => ({
  state: 'budget_exceeded',
  detail:
    `no price for ${model} in [models] prices; a limit in USD cannot be kept. The call was not sent. Add ` +
    `"${model}" = { input = USD, output = USD } per million tokens (0 for a model that costs nothing)`,
  data: { model, scope: 'price', unit: 'usd' },
});
