import { expect, it } from 'vitest';
import { mainChain } from '../../src/agent/chains.ts';
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
    left: async () => 'stage "plan" is not done',
  });
  const outcome = await runAgent(agentRun(host, { chain, tools: [ask] }).run);
  expect(outcome.status).toBe('completed');
  expect(ask.seen).toHaveLength(15);
  const told = host.stored().filter((m) => m.content.includes('stage "plan" is not done'));
  expect(told).toHaveLength(2);
});
