// The proof after a chaos run can fail: each thing that it promises to notice, it notices.
import { expect, it } from 'vitest';
import { breachesOf, type Evidence } from '../../scripts/chaos/proof.ts';
import type { Job } from '../../scripts/chaos/work.ts';
import type { TroupeEvent } from '../../src/domain/event.ts';
import type { SubagentState } from '../../src/domain/subagent.ts';

const ids = { query_id: 'q1', task_id: 't1', agent_id: 'a1', role: 'coder' };
const move = (seq: number, state: SubagentState): TroupeEvent => ({
  ...{ seq, kind: 'subagent', state, detail: '', ...ids, data: {}, at: '2026-01-01T00:00:00.000Z' },
});
const job: Job = {
  ...{ key: 'k', kind: 'plain', path: '/v1/tasks', body: {}, result: 'one', children: 0 },
  act: null,
};

/** One task that ran and completed, seen by everybody. */
function sound(): Evidence {
  const states: SubagentState[] = ['created', 'assigned', 'running', 'completed'];
  const log = states.map((state, at) => move(at + 1, state));
  const read = log.map((event) => ({ ...event, prev_seq: event.seq - 1 }));
  return {
    accepted: [{ job, id: 't1', query_id: 'q1', cancelled: false, updates: [] }],
    ...{ log, read, read_subagents: structuredClone(read) },
    tasks: [
      {
        ...{ task_id: 't1', query_id: 'q1', parent_task_id: null },
        ...{ status: 'completed', result: 'one', error: null },
      },
    ],
    agents: [{ agent_id: 'a1', task_id: 't1', state: 'completed' }],
    queries: [
      {
        ...{ query_id: 'q1', kind: 'direct', status: 'completed', answer: 'one' },
        ...{ error: null, workdir: '/tmp/q1' },
      },
    ],
    slots: { held: 0, lent: 0, queued: 0, runs: 0 },
    ran: new Map(),
  };
}
type Row<T> = T extends (infer R)[] ? R : never;
const task = (e: Evidence): Row<Evidence['tasks']> => e.tasks[0] as Row<Evidence['tasks']>;

it('finds nothing in a sound run', () => {
  expect(breachesOf(sound())).toEqual([]);
});

const FAULTS: [string, (e: Evidence) => void, RegExp][] = [
  ['an event that is lost', (e) => void e.log.splice(1, 1), /the log has 3 where 2 belongs/],
  [
    'an event that a reader was told twice',
    (e) => void e.read.splice(1, 0, e.read[1] as never),
    /was told 5 events of 4/,
  ],
  [
    'an event that a reader was told and that is not stored',
    (e) => Object.assign(e.read[2] as object, { state: 'blocked' }),
    /event 2: told/,
  ],
  [
    'a reader that cannot prove what it missed',
    (e) => Object.assign(e.read_subagents[2] as object, { prev_seq: 1 }),
    /says that 1 came before it/,
  ],
  ['a task that is gone', (e) => void e.tasks.splice(0), /acknowledged and is not there/],
  [
    'a task that never ends',
    (e) => Object.assign(task(e), { status: 'running' }),
    /is still running/,
  ],
  [
    'a result of another task',
    (e) => Object.assign(task(e), { result: 'two' }),
    /ended with "two"/,
  ],
  [
    'a second outcome',
    (e) => {
      e.log.push(move(5, 'failed'));
      e.read.push({ ...move(5, 'failed'), prev_seq: 4 });
      e.read_subagents.push({ ...move(5, 'failed'), prev_seq: 4 });
    },
    /moved from completed to failed/,
  ],
  [
    'an attempt that is left open',
    (e) => void e.agents.push({ agent_id: 'a2', task_id: 't1', state: 'assigned' }),
    /subagent a2 is still assigned/,
  ],
  ['a command that ran twice', (e) => void e.ran.set('q1', 2), /was run 2 times/],
  [
    'the same id for two submits',
    (e) => void e.accepted.push(e.accepted[0] as never),
    /t1 was given twice/,
  ],
  [
    'more tasks than were asked for',
    (e) => void e.tasks.push({ ...task(e), task_id: 't2' }),
    /has 2 tasks, asked for 0/,
  ],
  [
    'a slot that is not given back',
    (e) => Object.assign(e.slots, { held: 1 }),
    /slots are not given back/,
  ],
  [
    'too many failures',
    (e) => Object.assign(task(e), { status: 'failed', error: { code: 'lost', message: 'gone' } }),
    /only 0\.0 % of 1 completed: plain t1 failed: gone/,
  ],
];
for (const [what, spoil, words] of FAULTS)
  it(`notices ${what}`, () => {
    const evidence = sound();
    spoil(evidence);
    expect(breachesOf(evidence).join('\n')).toMatch(words);
  });
