import { expect, it } from 'vitest';
import { type Known, lineParts, narrate } from '../../src/cli/narrate.ts';
import { event } from './fake-server.ts';

const known: Known = {
  ...{ role: 'backend', ordinal: 1, depth: 1, pid: 4242, port: 40001 },
  task_summary: 'make the API',
};
const told = (
  ...[e, k = null, columns = null]: [
    Parameters<typeof narrate>[0],
    (Known | null)?,
    (number | null)?,
  ]
) => {
  const line = narrate(e, k);
  if (line === null) return null;
  const parts = lineParts(line, columns).map((p) => (typeof p === 'string' ? p : p.text));
  // The clock of this machine is not what is tested.
  return parts.join('').slice('12:00:01  '.length);
};

it('names agent, state, process and task when a subagent runs', () => {
  expect(told(event(1, 'subagent', 'running'), known)).toBe(
    'backend agent #1        running      pid 4242 port 40001  "make the API"',
  );
});

it('indents an agent below its parent', () => {
  expect(told(event(1, 'subagent', 'assigned'), { ...known, depth: 2 })).toMatch(
    /^ {2}backend agent #1/,
  );
});

it('says why a subagent failed or is blocked', () => {
  const failed = event(1, 'subagent', 'failed', { detail: 'the model said no' });
  expect(told(failed, known)).toContain('the model said no');
});

it('tells how long a role server took and why it could not start', () => {
  const ready = event(1, 'server', 'ready', { data: { pid: 7, port: 8, took_ms: 211.7 } });
  expect(told(ready)).toBe('backend server          ready        pid 7 port 8 after 212 ms');
  const failed = event(2, 'server', 'failed_start', { detail: 'exit code 3: no such file' });
  expect(told(failed)).toContain('exit code 3: no such file');
});

it('marks a branching with its parts, and a decision against it without the mark', () => {
  const data = { branched: true, parts: ['the API', 'the page'], score: 0.41 };
  const yes = told(event(1, 'branch', 'taken', { data }));
  expect(yes).toBe(
    '⚡ main agent           self-branch  2 branches score 0.41  "the API" · "the page"',
  );
  const no = told(event(2, 'branch', 'declined', { detail: 'one part only' }));
  expect(no).not.toContain('⚡');
  expect(no).toContain('one part only');
});

it('tells a tool when it has ended, a command also when it starts', () => {
  expect(told(event(1, 'tool', 'started', { data: { name: 'write' } }), known)).toBeNull();
  const shell = { name: 'shell', arguments: '{"command":"npm test"}' };
  expect(told(event(1, 'tool', 'started', { data: shell }), known)).toContain('npm test');
  const spawned = { name: 'start_async_task', ok: true };
  expect(told(event(1, 'tool', 'finished', { data: spawned }), known)).toBeNull();
  const failed = event(2, 'tool', 'failed', { detail: 'edit: no such text', data: { ok: false } });
  expect(told(failed, known)).toContain('tool failed');
});

it('is silent about streamed text and about completions that a state tells as well', () => {
  expect(told(event(1, 'output', 'text', { data: { text: 'hello' } }), known)).toBeNull();
  expect(told(event(2, 'notice', 'completion'), known)).toBeNull();
  expect(told(event(3, 'notice', 'late_result', { detail: 'too late' }), known)).toContain(
    'late result',
  );
});

it('cuts only the free text to the width of the terminal', () => {
  const long = { ...known, task_summary: 'x'.repeat(300) };
  const line = told(event(1, 'subagent', 'running'), long, 100) ?? '';
  expect(line).toContain('pid 4242 port 40001');
  expect(line.length + '12:00:01  '.length).toBeLessThanOrEqual(100);
});
