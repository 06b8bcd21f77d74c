// What goes wrong at a provider, and what its user reads about it: the same table over the three wire forms.
import { describe, expect, it } from 'vitest';
import type { ModelErrorCode } from '../../../src/domain/message.ts';
import { collect, KEY, last, testGateway, textOf } from '../support/gateway.ts';
import { type Script, upstreamBeside } from '../support/upstream.ts';
import { breakOff, hang, inPieces, late } from './bytes.ts';
import { FORMS, type Form } from './forms.ts';

type Row = {
  what: string;
  scripts(form: Form): Script[];
  /** Requests that the provider gets. */
  requests: number;
  /** The text of the answer, or the error that the user reads. */
  sees: string | { code: ModelErrorCode; message: RegExp };
  /** The policies that acted, as their note says. */
  notes: string[];
};
const fine = (form: Form): Script => inPieces(form.body(['fine'], []));

const ROWS: Row[] = [
  {
    what: '429 with Retry-After, then an answer',
    scripts: (f) => [f.error(429, 'slow down', { 'retry-after': '1' }), fine(f)],
    requests: 2,
    sees: 'fine',
    notes: ['external_api_error retry'],
  },
  {
    what: '429 that asks for an hour',
    scripts: (f) => [f.error(429, 'slow down', { 'retry-after': '3600' })],
    requests: 1,
    sees: { code: 'model_error', message: /:\S+ answered 429: slow down$/ },
    notes: ['external_api_error stop'],
  },
  {
    what: '500, then an answer',
    scripts: (f) => [f.error(500, 'oops'), fine(f)],
    requests: 2,
    sees: 'fine',
    notes: ['external_api_error retry'],
  },
  {
    what: '529 overloaded, then an answer',
    scripts: (f) => [f.error(529, 'overloaded'), fine(f)],
    requests: 2,
    sees: 'fine',
    notes: ['external_api_error retry'],
  },
  {
    what: '500 for ever',
    scripts: (f) => [f.error(500, 'oops')],
    requests: 3,
    sees: { code: 'model_error', message: /:\S+ answered 500: oops \(after 3 tries\)$/ },
    notes: ['external_api_error retry', 'external_api_error retry', 'external_api_error stop'],
  },
  {
    what: 'a stream that is cut, then an answer',
    scripts: (f) => [breakOff(f.open(['half an '])), fine(f)],
    requests: 2,
    sees: 'fine',
    notes: ['model_timeout retry'],
  },
  {
    what: 'a stream that is cut twice',
    scripts: (f) => [breakOff(f.open(['half an ']))],
    requests: 2,
    sees: {
      code: 'model_error',
      message: /:\S+ cannot be reached or broke off: .+ \(after 2 tries\)$/,
    },
    notes: ['model_timeout retry', 'model_timeout stop'],
  },
  {
    what: 'a stream that ends without its end',
    scripts: (f) => [inPieces(f.open(['half an ']))],
    requests: 2,
    sees: { code: 'model_error', message: /:\S+ .*broke off.* \(after 2 tries\)$/ },
    notes: ['model_timeout retry', 'model_timeout stop'],
  },
  {
    what: 'an error inside the stream, then an answer',
    scripts: (f) => [inPieces(f.spoilt('half an ', 'Overloaded')), fine(f)],
    requests: 2,
    sees: 'fine',
    notes: ['external_api_error retry'],
  },
  {
    what: 'a conversation that is too long',
    scripts: (f) => [f.overflow],
    requests: 1,
    sees: {
      code: 'context_overflow',
      message: /^the conversation is too long for \S+: .*(context length|too long)/,
    },
    notes: [],
  },
  {
    what: 'a first token that comes late, but in time',
    scripts: (f) => [late(f.body(['fine'], []))],
    requests: 1,
    sees: 'fine',
    notes: [],
  },
  {
    what: 'silence before the first token',
    scripts: (f) => [hang({ ...f.open([]), bytes: Buffer.alloc(0) })],
    requests: 2,
    sees: { code: 'model_timeout', message: /:\S+ sent nothing for 0\.3 s \(after 2 tries\)$/ },
    notes: ['model_timeout retry', 'model_timeout stop'],
  },
  {
    what: 'a wrong key',
    scripts: (f) => [f.error(401, `Incorrect API key provided: ${KEY}, Bearer ${KEY}`)],
    requests: 1,
    sees: {
      code: 'model_error',
      message: /:\S+ answered 401: Incorrect API key provided: \[key\], Bearer \[key\]$/,
    },
    notes: ['external_api_error stop'],
  },
  {
    what: 'a request that the provider does not take',
    scripts: (f) => [f.error(400, 'temperature is not supported')],
    requests: 1,
    sees: { code: 'model_error', message: /:\S+ answered 400: temperature is not supported$/ },
    notes: ['external_api_error stop'],
  },
];

describe.each(FORMS)('$name', (form) => {
  it.each(ROWS)('$what', async ({ scripts, requests, sees, notes }) => {
    const up = await upstreamBeside(form.beside, ...scripts(form));
    const quick = { first_token_timeout_s: 0.3, local_first_token_timeout_s: 0.3 };
    const test = testGateway(up.url, sees === 'fine' ? {} : { settings: quick });
    const chunks = await collect(test, { model: form.model });
    const end = last(chunks);
    if (typeof sees === 'string') {
      const again = chunks.findLastIndex((c) => c.type === 'restart');
      expect(textOf(chunks.slice(again + 1))).toBe(sees);
      expect(end).toMatchObject({ type: 'end', finish: 'stop' });
    } else
      expect(end).toMatchObject({
        type: 'error',
        ...sees,
        message: expect.stringMatching(sees.message),
      });
    expect(up.seen).toHaveLength(requests);
    expect(test.notes.map((n) => `${n.policy} ${n.action}`)).toEqual(notes);
    expect(JSON.stringify([chunks, test.logged, test.notes])).not.toContain(KEY);
  });

  it('nobody at the address', async () => {
    const end = last(await collect(testGateway('http://127.0.0.1:1'), { model: form.model }));
    expect(end).toMatchObject({
      type: 'error',
      code: 'model_error',
      message: expect.stringMatching(
        /:\S+ cannot be reached or broke off: .*ECONNREFUSED.* \(after 3 tries\)$/,
      ),
    });
  });

  it('half a call never reaches the loop', async () => {
    const call = { id: 'a', name: 'write', pieces: ['{"path":"x"}'] };
    const { type, bytes } = form.body([], [call]);
    const cut = bytes.indexOf(form.name === 'Ollama' ? '"done":true' : 'path');
    const up = await upstreamBeside(form.beside, breakOff({ type, bytes: bytes.subarray(0, cut) }));
    const chunks = await collect(testGateway(up.url), { model: form.model });
    expect(chunks.filter((c) => c.type === 'tool_call')).toEqual([]);
    expect(last(chunks).type).toBe('error');
  });
});
