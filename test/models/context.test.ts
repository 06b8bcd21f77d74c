import { describe, expect, it } from 'vitest';
import { testGateway } from './support/gateway.ts';

const { gateway } = testGateway('http://127.0.0.1:1', {
  settings: { context_tokens: 50_000 },
  routing: {
    fallback: ['ollama:small'],
    roles: new Map([['coder', { fallback: null, tier: null }]]),
  },
});

describe('the room that a model has for a conversation', () => {
  it.each([
    ['openai:m', 50_000],
    ['anthropic:claude-x', 50_000],
    ['ollama:qwen', 16_384],
    ['default', 50_000],
  ])('of %s: %i tokens', (model, tokens) => {
    expect(gateway.context(model, 'coder')).toEqual({ tokens, by_model: true });
  });

  it('Ollama that decides by itself makes little', () => {
    const own = testGateway('http://127.0.0.1:1', {
      settings: { ollama: { base_url: 'http://127.0.0.1:1', num_ctx: 0, keep_alive: null } },
    });
    expect(own.gateway.context('ollama:qwen', 'main')?.tokens).toBe(4_096);
  });

  it('echo writes no summary, and nothing is too long for the offline rules', () => {
    expect(gateway.context('echo', 'main')).toEqual({ tokens: 50_000, by_model: false });
    expect(gateway.context('offline', 'main')).toBeNull();
  });
});
