// The language of the user, from the request to the children and back, on the built product.
import { describe, expect, it } from 'vitest';
import { type ChatRequest, startProvider } from '../support/fake-provider.ts';
import { startTroupe } from '../support/troupe-server.ts';

const EN =
  'I have written the server and its tests. All of them pass, and the result is in the folder that you named. There is nothing left to do.';
const KO = '서버와 테스트를 작성했고 모두 통과했습니다. 결과는 지정하신 폴더에 있습니다.';
const systemOf = (r: ChatRequest): string => r.messages[0]?.content ?? '';
const isMain = (r: ChatRequest): boolean => systemOf(r).startsWith('role: main');

/** Main hands one part out and answers in English until it is told not to; `stubborn`: then too. The child does the same. */
async function ask(input: string, { stubborn = false, child = KO } = {}) {
  const provider = await startProvider((request) => {
    if (!isMain(request)) return { text: child };
    const last = request.messages.at(-1)?.content ?? '';
    if (last.startsWith('Your answer is in the wrong language'))
      return { text: stubborn ? EN : KO };
    if (request.messages.some((m) => m.role === 'tool')) return { text: EN };
    const args = { subagent_type: 'coder', description: 'write it' };
    return { call: 'start_async_task', args: JSON.stringify(args) };
  });
  const troupe = await startTroupe({
    config: `[models]\ndefault = "openai:m"\n[models.openai]\nbase_url = "${provider.url}"\napi_key = "k"\n`,
    env: { TROUPE_MODEL: '', TROUPE_TOPOLOGY: 'single' },
  });
  const answer = await troupe.ask<{ query_id: string; status: string; answer: string }>(
    ...(['POST', '/v1/queries', { input }, { prefer: 'wait=30' }] as const),
  );
  const events = await troupe.events(`&query_id=${answer.body.query_id}&kinds=notice`);
  const drifts = events.filter((e) => e.state === 'language_drift');
  return { ...answer.body, requests: provider.requests, drifts };
}
const REQUEST = '서버를 만들고 테스트도 작성해줘';

describe('a request in Korean', { timeout: 90_000 }, () => {
  it('reaches the children as such, and an English answer is asked for again in Korean', async () => {
    const { status, answer, requests, drifts } = await ask(REQUEST);
    expect({ status, answer }).toEqual({ status: 'completed', answer: KO });
    const [main] = requests;
    expect(systemOf(main as ChatRequest)).toContain('The user writes Korean');
    const child = requests.find((r) => !isMain(r));
    expect(systemOf(child as ChatRequest)).toContain('한국어로 답하세요.');
    expect(drifts).toEqual([]);
    const corrections = requests.filter((r) =>
      r.messages.at(-1)?.content?.startsWith('Your answer is in the wrong language'),
    );
    expect(corrections).toHaveLength(1);
  });

  it('an answer that stays in English stands, and an event says so; so it is with a child', async () => {
    const { status, answer, drifts } = await ask(REQUEST, { stubborn: true, child: EN });
    expect({ status, answer }).toEqual({ status: 'completed', answer: EN });
    expect(drifts.map((e) => [e.role, e.data])).toEqual([
      ['coder', { asked: 'ko', found: 'en' }],
      ['main', { asked: 'ko', found: 'en' }],
    ]);
  });
});

describe('a request in English', { timeout: 60_000 }, () => {
  it('whose answer is English is not asked for twice', async () => {
    const { answer, requests, drifts } = await ask('Build the server and write its tests', {
      child: EN,
    });
    expect(answer).toBe(EN);
    expect(requests.filter(isMain)).toHaveLength(3);
    expect(drifts).toEqual([]);
  });
});
