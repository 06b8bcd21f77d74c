// A supervisor of the deepagents library with two roles of a server as its async subagents. Its model is scripted: a
// local server says which tool it calls next, so that the library itself makes every request.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import { createDeepAgent } from 'deepagents';
import { onTestFinished } from 'vitest';
import { until } from '../support/until.ts';

type Call = { name: string; args: Record<string, unknown> };
type Said = { call: Call | null };

/** What its model says next; asked over a socket as any model is. */
async function startScript(next: () => Call | null): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end(JSON.stringify({ call: next() } satisfies Said)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

class ScriptedModel extends BaseChatModel {
  readonly url: string;
  constructor(url: string) {
    super({});
    this.url = url;
  }
  _llmType(): string {
    return 'scripted';
  }
  override bindTools(): this {
    return this;
  }
  async _generate(messages: BaseMessage[]) {
    const answer = await fetch(this.url, { method: 'POST', body: String(messages.length) });
    const { call } = (await answer.json()) as Said;
    const tool_calls = call
      ? [{ ...call, id: `call_${messages.length}`, type: 'tool_call' as const }]
      : [];
    const message = new AIMessage({ content: call ? '' : 'done', tool_calls });
    return { generations: [{ text: '', message }] };
  }
}

export type Supervisor = {
  /** Lets the supervisor call one of its tools; answers what the tool said. */
  use(tool: string, args?: Record<string, unknown>): Promise<string>;
  /** Starts a subagent and answers the id of its task. */
  launch(agentName: string, description: string): Promise<string>;
  /** Checks a task until it says something else than that it is at work. */
  outcome(taskId: string): Promise<{ status: string; result?: string; error?: string }>;
};

export async function startSupervisor(url: string, key?: string): Promise<Supervisor> {
  let planned: Call | null = null;
  const script = await startScript(() => {
    const call = planned;
    planned = null;
    return call;
  });
  const headers = key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } };
  const agent = createDeepAgent({
    model: new ScriptedModel(script),
    checkpointer: new MemorySaver(),
    subagents: [
      // One is found by its name at the root, the other has an address of its own.
      { name: 'planner', description: 'plans', graphId: 'planner', url, ...headers },
      {
        name: 'coder',
        description: 'codes',
        graphId: 'coder',
        url: `${url}/roles/coder`,
        ...headers,
      },
    ],
  });
  const config = { configurable: { thread_id: 'supervisor' } };

  async function use(name: string, args: Record<string, unknown> = {}): Promise<string> {
    planned = { name, args };
    const ask = { messages: [{ role: 'user' as const, content: `use ${name}` }] };
    const { messages } = (await agent.invoke(ask, config)) as { messages: BaseMessage[] };
    const said = messages.findLast((message) => ToolMessage.isInstance(message));
    return String(said?.content);
  }
  return {
    use,
    async launch(agentName, description) {
      const said = await use('start_async_task', { agentName, description });
      const taskId = /taskId: (\S+)/.exec(said)?.[1];
      if (!taskId) throw new Error(said);
      return taskId;
    },
    outcome: (taskId) =>
      until(
        async () => {
          const said = await use('check_async_task', { taskId });
          const found = JSON.parse(said) as { status: string };
          return !['pending', 'running'].includes(found.status) && found;
        },
        30_000,
        `an outcome of ${taskId}`,
      ),
  };
}
