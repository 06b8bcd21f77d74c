import { expect, it } from 'vitest';
import { mainChain, roleChain } from '../../src/agent/chains.ts';
import { runAgent } from '../../src/agent/loop.ts';
import { agentRun, fakeTool, scriptedHost, type Turn } from './scripted-host.ts';

it('an agent that leads a workflow is reminded twice of what is left, and asks at most fifteen questions', async () => {
  const ask = fakeTool('ask_user');
  const questions = Array.from(
    { length: 17 },
    (_, i): Turn => ({
      calls: [['ask_user', { question: `q${i}` }]],
    }),
  );
  const host = scriptedHost([...questions, ...Array.from({ length: 3 }, () => ({ text: 'end' }))]);
  const chain = mainChain({
    ...{ memory_block: '', history: [], may_start: [], background: false },
    reply: { asked: null, driftOf: () => null },
    left: async () => 'stage "plan" is not done',
  });
  const outcome = await runAgent(agentRun(host, { chain, tools: [ask] }).run);
  expect(outcome.status).toBe('completed');
  expect(ask.seen).toHaveLength(15);
  const told = host.stored().filter((m) => m.content.includes('stage "plan" is not done'));
  expect(told).toHaveLength(2);
});

const start: Turn = {
  calls: [['start_async_task', { subagent_type: 'coder', description: 'part' }]],
};
it('a start that a leaf has forged is put before main and does not run', async () => {
  const host = scriptedHost([start, { text: 'ok' }], () => ({
    ok: false,
    code: 'spawn_refused',
    message: 'reviewer at depth 2 may not start coder',
  }));
  const chain = roleChain({ memory_block: '', history: [], delegates: false, shaped: false });
  await runAgent(agentRun(host, { chain, leaf: true, tools: [fakeTool('read')] }).run);
  expect(host.of('model')[0]?.request.tools.map((t) => t.name)).toEqual(['read']);
  expect(host.of('tasks').map(({ call }) => call.op)).toEqual(['start']);
  const [result] = host.stored().filter((m) => m.role === 'tool');
  expect(result?.content).toMatch(/unknown tool.*\n.*depth 2 may not start coder/);
});
