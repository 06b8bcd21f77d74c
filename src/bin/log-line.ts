// A line of the log as a person at a terminal reads it; everybody else gets the JSON. Pure.
import { cleanLine } from '../cli/clean.ts';

/** Said by the message, or of use to programs only. */
const LEFT_OUT = ['level', 'time', 'msg', 'seq', 'kind', 'state', 'role', 'agent_id'];
const LEFT_OUT_IDS = ['query_id', 'task_id', 'instance', 'main_pid', 'version'];

const shown = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const { message } = (value ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(value);
};

/** `json`: one line of pino's. What is not one is passed on as it is. */
export function lineForPeople(json: string): string {
  let line: Record<string, unknown>;
  try {
    line = JSON.parse(json);
  } catch {
    return json;
  }
  const time = new Date(String(line.time)).toTimeString().slice(0, 8);
  const facts = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.includes(name) && !LEFT_OUT_IDS.includes(name))
    .map(([name, value]) => `${name}: ${shown(value)}`);
  const text = [String(line.msg ?? ''), ...facts].filter((part) => part !== '').join('  ');
  return `${time} ${String(line.level).padEnd(5)} ${cleanLine(text)}\n`;
}
