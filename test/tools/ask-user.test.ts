// Tools that ask a person: the question, and the command that could do lasting harm.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskAnswer, AskCall } from '../../src/domain/review.ts';
import { noHost, toolKit } from './tool-context.ts';

const closed = (text: string, approved = false): AskAnswer => ({
  ...{ ok: true, state: 'closed', text, approved },
});
/** Answers with these, one after the other. */
function asked(...answers: (AskAnswer | (() => AskAnswer))[]) {
  const calls: AskCall[] = [];
  const ask = async (call: AskCall): Promise<AskAnswer> => {
    const answer = answers[Math.min(calls.length, answers.length - 1)] as AskAnswer;
    calls.push(call);
    return typeof answer === 'function' ? (answer as () => AskAnswer)() : answer;
  };
  return { calls, host: { ...noHost, ask } };
}

describe('ask_user', () => {
  it('asks again under the same call until there is an answer, and hands it on', async () => {
    const { calls, host } = asked({ ok: true, state: 'pending' }, closed('answer: blue'));
    const kit = toolKit({ host });
    const result = await kit.call('ask_user', { question: ' Which? ', options: ['blue'] });
    expect(result).toMatchObject({ ok: true, content: 'answer: blue', summary: 'asked: Which?' });
    expect(calls).toHaveLength(2);
    expect(calls[1]).toEqual(calls[0]);
    expect(calls[0]).toMatchObject({ kind: 'question', question: 'Which?', options: ['blue'] });
  });

  it('leaves its call unanswered when the run is stopped meanwhile', async () => {
    const stop = new AbortController();
    const { host } = asked(() => {
      stop.abort();
      return { ok: true, state: 'pending' };
    });
    const result = await toolKit({ host, signal: stop.signal }).call('ask_user', { question: 'x' });
    expect(result).toMatchObject({ ok: false, unanswered: true });
  });
});

describe('a command that could do lasting harm', () => {
  // Matches the rule, and does nothing: there is no repository.
  const command = 'touch ran; git push --force';
  const run = async (answer: AskAnswer, wanted = command) => {
    const { calls, host } = asked(answer);
    const kit = toolKit({ host });
    const result = await kit.call('shell', { command: wanted });
    return { result, calls, ran: existsSync(join(kit.workdir, 'ran')) };
  };

  it('is run when a person who has seen all of it approves', async () => {
    const { calls, ran, result } = await run(closed('Approved.', true));
    expect(ran).toBe(true);
    expect(result.safe_stop).toBeUndefined();
    expect(calls[0]).toMatchObject({
      kind: 'approval',
      detail: command,
      subject: 'shell: it overwrites the history of a shared branch',
    });
  });
  it('is not run when the person says no, and the agent goes on', async () => {
    const { ran, result } = await run(closed('Not approved: too risky'));
    expect(ran).toBe(false);
    expect(result).toMatchObject({ ok: false, content: expect.stringContaining('too risky') });
    expect(result.safe_stop).toBeUndefined();
  });
  it('stops the run where nobody can be asked', async () => {
    const { ran, result } = await run({ ok: true, state: 'nobody', text: '', approved: false });
    expect(ran).toBe(false);
    expect(result.safe_stop).toContain('the command was not run');
  });
  it('is put to nobody when a person could not see what is run', async () => {
    for (const hidden of [`${command} #\u202e`, `${command} ${'x'.repeat(5_000)}`]) {
      const { calls, ran, result } = await run(closed('Approved.', true), hidden);
      expect([ran, calls.length]).toEqual([false, 0]);
      expect(result.safe_stop).toBeDefined();
    }
  });
});
