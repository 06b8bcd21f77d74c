// The Agent Protocol as the unmodified LangGraph SDK uses it.
import { describe, expect, it } from 'vitest';
import { clientOf, say, settled, startProtocol, texts, working } from './protocol-client.ts';

describe('on a busy thread', () => {
  it('reject, enqueue, interrupt and rollback each give the documented order', async () => {
    const { client } = await startProtocol();
    const busy = async (delay: number, text: string) => {
      const { thread_id } = await client.threads.create();
      const input = say(`[[delay=${delay}]] ${text}`);
      const { run_id } = await client.runs.create(thread_id, 'planner', { input });
      await working(client, thread_id, run_id);
      return { thread_id, run_id };
    };
    const rejected = await busy(1_000, 'first');
    await expect(
      client.runs.create(rejected.thread_id, 'planner', {
        input: say('second'),
        multitaskStrategy: 'reject',
      }),
    ).rejects.toMatchObject({ status: 409 });
    expect((await settled(client, rejected.thread_id, rejected.run_id)).status).toBe('success');

    const queued = await busy(1_000, 'first');
    const next = await client.runs.create(queued.thread_id, 'planner', {
      input: say('second'),
      multitaskStrategy: 'enqueue',
    });
    expect((await client.runs.get(queued.thread_id, next.run_id)).status).toBe('pending');
    await settled(client, queued.thread_id, next.run_id);
    expect(await texts(client, queued.thread_id)).toEqual([
      '[[delay=1000]] first',
      'first',
      'second',
      'second',
    ]);

    const stopped = await busy(30_000, 'first');
    const taking = await client.runs.create(stopped.thread_id, 'planner', {
      input: say('second'),
      multitaskStrategy: 'interrupt',
    });
    expect((await settled(client, stopped.thread_id, taking.run_id)).status).toBe('success');
    expect(await client.runs.get(stopped.thread_id, stopped.run_id)).toMatchObject({
      status: 'interrupted',
      cancel_reason: `run ${taking.run_id} took its place`,
    });
    expect(await texts(client, stopped.thread_id)).toEqual([
      '[[delay=30000]] first',
      'second',
      'second',
    ]);

    const undone = await busy(30_000, 'first');
    const instead = await client.runs.create(undone.thread_id, 'planner', {
      input: say('second'),
      multitaskStrategy: 'rollback',
    });
    expect((await settled(client, undone.thread_id, instead.run_id)).status).toBe('success');
    expect(await texts(client, undone.thread_id)).toEqual(['second', 'second']);
    await expect(client.runs.get(undone.thread_id, undone.run_id)).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('the stream of a run', () => {
  it('gives any number of readers everything, and one that comes back what it has missed', async () => {
    const { client } = await startProtocol();
    const { thread_id } = await client.threads.create();
    const input = say('[[tool list {"path":"."}]] look around');
    const { run_id } = await client.runs.create(thread_id, 'planner', { input });
    const streamMode = ['values', 'updates', 'messages-tuple', 'tools'] as const;
    const read = async (lastEventId?: string) => {
      const events: { id?: string; event: string; data: unknown }[] = [];
      const ask = { streamMode: [...streamMode], ...(lastEventId ? { lastEventId } : {}) };
      for await (const event of client.runs.joinStream(thread_id, run_id, ask as never))
        events.push(event as never);
      return events;
    };
    const [one, two] = await Promise.all([read(), read()]);
    const late = await read();
    const names = (events: { event: string }[]) => events.map(({ event }) => event).sort();
    expect(names(two)).toEqual(names(one));
    expect(names(late)).toEqual(names(one));
    expect(one[0]).toMatchObject({ event: 'metadata', data: { run_id } });
    expect(one.at(-1)).toMatchObject({ event: 'end', data: { run_id, status: 'success' } });
    expect(new Set(names(one))).toEqual(
      new Set(['metadata', 'values', 'updates', 'messages', 'tools', 'end']),
    );

    const cut = late.findIndex(({ event, id }) => event === 'tools' && id);
    const rest = await read(late[cut]?.id);
    expect(rest.map(({ event }) => event)).toEqual(late.slice(cut + 1).map(({ event }) => event));
  });

  it('stops the run when its reader leaves, where that was asked for', async () => {
    const { client } = await startProtocol();
    const { thread_id } = await client.threads.create();
    let run_id = '';
    const abort = new AbortController();
    const stream = client.runs.stream(thread_id, 'planner', {
      input: say('[[delay=30000]] x'),
      onDisconnect: 'cancel',
      signal: abort.signal,
      onRunCreated: (run) => (run_id = run.run_id),
    });
    await (async () => {
      for await (const { event } of stream) {
        if (event !== 'values') continue;
        abort.abort();
      }
    })().catch(() => {});
    expect(await settled(client, thread_id, run_id)).toMatchObject({ status: 'interrupted' });
  });
});

describe('whoever waits for a run', () => {
  it('is answered at its end with the values, each the same, or with the error', async () => {
    const { client } = await startProtocol();
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, 'planner', {
      input: say('[[delay=500]] slow'),
    });
    const [one, two] = await Promise.all([
      client.runs.join(thread_id, run_id),
      client.runs.join(thread_id, run_id),
    ]);
    expect(one).toEqual(two);
    expect(one).toMatchObject({ messages: [{ type: 'human' }, { type: 'ai', content: 'slow' }] });
    expect(await client.runs.join(thread_id, run_id)).toEqual(one);
    const alone = await client.runs.wait(null, 'planner', { input: say('without a thread') });
    expect(alone).toMatchObject({ messages: [{}, { content: 'without a thread' }] });
    await expect(
      client.runs.wait(thread_id, 'planner', { input: say('[[fail]] x') }),
    ).rejects.toThrow('[[fail]]');
    // The thread goes on all the same, and an earlier run keeps its own values.
    await client.runs.wait(thread_id, 'planner', { input: say('later') });
    expect(await client.runs.join(thread_id, run_id)).toEqual(one);
  });
});

describe('a run that asks a person', () => {
  it('is interrupted, with the question on its thread, and goes on with the answer', async () => {
    const { client, server } = await startProtocol();
    const { thread_id } = await client.threads.create();
    const { run_id } = await client.runs.create(thread_id, 'planner', {
      input: say('[[interrupt]] which way?'),
    });
    expect((await settled(client, thread_id, run_id)).status).toBe('interrupted');
    const thread = await client.threads.get(thread_id);
    expect(thread.status).toBe('interrupted');
    const state = await client.threads.getState(thread_id);
    expect(state.next).toEqual(['agent']);
    const [asked] = state.tasks[0]?.interrupts ?? [];
    expect(asked?.value).toMatchObject({ kind: 'question', role: 'planner' });
    const reviews = await server.call<{ data: { review_id: string }[] }>('GET', '/v1/reviews');
    expect(reviews.data.map(({ review_id }) => review_id)).toEqual([asked?.id]);

    const answer = await client.runs.create(thread_id, 'planner', {
      command: { resume: { [asked?.id as string]: 'to the left' } },
    });
    expect((await settled(client, thread_id, answer.run_id)).status).toBe('success');
    expect((await texts(client, thread_id)).at(-1)).toContain('to the left');
    expect((await client.runs.get(thread_id, run_id)).status).toBe('interrupted');
    await expect(
      client.runs.create(thread_id, 'planner', { command: { resume: 'again' } }),
    ).rejects.toMatchObject({ status: 409 });
  });
});

describe('the main agent', () => {
  it('is an assistant: its thread is a query, and every run on it a turn', async () => {
    const { client, server } = await startProtocol();
    const { thread_id } = await client.threads.create({ metadata: { of: 'me' } });
    await client.runs.wait(thread_id, 'troupe', { input: say('first') });
    await client.runs.wait(thread_id, 'troupe', { input: say('second') });
    expect(await texts(client, thread_id)).toEqual(['first', 'first', 'second', 'second']);
    expect(await server.call('GET', `/v1/queries/${thread_id}`)).toMatchObject({
      status: 'completed',
      answer: 'second',
    });
    const long = await client.runs.create(thread_id, 'troupe', { input: say('[[delay=30000]] x') });
    await working(client, thread_id, long.run_id);
    const next = await client.runs.create(thread_id, 'troupe', {
      input: say('third'),
      multitaskStrategy: 'rollback',
    });
    expect((await settled(client, thread_id, next.run_id)).status).toBe('success');
    expect((await texts(client, thread_id)).slice(-2)).toEqual(['third', 'third']);
    expect((await texts(client, thread_id)).join()).not.toContain('delay');
    await expect(
      client.runs.create(thread_id, 'planner', { input: say('x') }),
    ).rejects.toMatchObject({ status: 400 });
  });
});

describe('work of the native API', () => {
  it('is a thread with a run, that can be followed, updated and removed', async () => {
    const { client, server } = await startProtocol();
    const task = await server.start('coder', '[[delay=500]] native');
    const thread = await client.threads.get(task.task_id);
    expect(thread.status).toBe('busy');
    const [run] = await client.runs.list(task.task_id);
    expect((await settled(client, task.task_id, run?.run_id ?? '')).status).toBe('success');
    await client.runs.wait(task.task_id, 'coder', { input: say('more') });
    expect((await server.task(task.task_id)).result).toBe('more');
    await client.threads.delete(task.task_id);
    expect((await server.ask('GET', `/v1/tasks/${task.task_id}`)).status).toBe(404);
    await expect(client.threads.get(task.task_id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('what is asked', () => {
  it('is refused by name where it is not offered, and never dropped in silence', async () => {
    const { client, server } = await startProtocol();
    const { thread_id } = await client.threads.create();
    const refused = async (body: object): Promise<string> => {
      const path = `/threads/${thread_id}/runs`;
      const ask = { assistant_id: 'planner', input: say('x'), ...body };
      const answer = await server.ask<{ message: string }>('POST', path, ask);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      return answer.body.message;
    };
    expect(await refused({ interrupt_before: '*' })).toContain('interrupt_before');
    expect(await refused({ checkpoint_id: 'abc' })).toContain('checkpoint_id');
    expect(await refused({ command: { goto: 'x' } })).toContain('command.goto');
    expect(await refused({ stream_mode: 'debug' })).toContain('stream_mode "debug"');
    expect(await refused({ unheard_of: 1 })).toContain('unheard_of');
    expect(await refused({ input: { topic: 'x' } })).toContain('input.messages');
    expect(await refused({ webhook: 'ftp://x.test' })).toContain('webhook');
    expect(await refused({ multitask_strategy: 'maybe' })).toContain('multitask_strategy');
    expect(await client.runs.list(thread_id)).toEqual([]);
    const info = await server.call<{ kept: string[]; flags: object }>('GET', '/info');
    expect(info.kept).toContain('config');
    expect(info.flags).toMatchObject({ webhooks: true, crons: false });
  });

  it('is answered with a hint where the Agent Protocol is switched off', async () => {
    const { server } = await startProtocol({ config: '[facades]\nagent_protocol = false\n' });
    for (const path of ['/threads', '/runs/search', '/roles/planner/threads'])
      expect(await server.ask('POST', path, {})).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining('agent_protocol = true under [facades]') },
      });
    expect((await server.ask('GET', '/v1/roles')).status).toBe(200);
  });

  it('below the address of a role is for that role alone', async () => {
    const { server } = await startProtocol();
    const coder = clientOf(`${server.url}/roles/coder`);
    const found = await coder.assistants.search();
    expect(found.map(({ name }) => name)).toEqual(['coder']);
    const { thread_id } = await coder.threads.create();
    await expect(
      coder.runs.create(thread_id, 'planner', { input: say('x') }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(clientOf(`${server.url}/roles/nobody`).threads.create()).rejects.toMatchObject({
      status: 404,
    });
  });
});
