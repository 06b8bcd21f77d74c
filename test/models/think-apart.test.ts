import { expect, it } from 'vitest';
import type { ModelChunk } from '../../src/domain/message.ts';
import { thinkApart } from '../../src/models/think-apart.ts';

async function apart(pieces: string[]): Promise<{ text: string; reasoning: string }> {
  async function* source(): AsyncGenerator<ModelChunk> {
    for (const text of pieces) yield { type: 'text', text };
    yield { type: 'error', code: 'model_error', message: 'the end' };
  }
  const out = { text: '', reasoning: '' };
  let ended = false;
  for await (const chunk of thinkApart(source())) {
    if (ended) throw new Error('something after the end');
    if (chunk.type === 'error') ended = true;
    else if (chunk.type === 'text' || chunk.type === 'reasoning') out[chunk.type] += chunk.text;
  }
  return out;
}

it.each([
  ['<think>hm, 1 < 2</think>\n\nanswer', 'answer', 'hm, 1 < 2'],
  ['\n<think></think>answer', 'answer', ''],
  ['answer with <think>in it</think>', 'answer with <think>in it</think>', ''],
  ['<thinking is a word', '<thinking is a word', ''],
  ['<think>never closed </thin', '', 'never closed </thin'],
  ['<thi', '<thi', ''],
  ['', '', ''],
])('%j, however it is cut', async (whole, text, reasoning) => {
  expect(await apart([whole])).toEqual({ text, reasoning });
  expect(await apart([...whole])).toEqual({ text, reasoning });
  for (let at = 1; at < whole.length; at++)
    expect(await apart([whole.slice(0, at), whole.slice(at)])).toEqual({ text, reasoning });
});
