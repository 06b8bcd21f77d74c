// The JSON shapes of what is spent: parts of tasks and of trees.
import Type from 'typebox';

const usd = Type.Union([Type.Number({ description: 'null when no price is known' }), Type.Null()]);

export const usage = Type.Object(
  {
    input_tokens: Type.Integer(),
    cached_input_tokens: Type.Integer({ description: 'Part of input_tokens' }),
    output_tokens: Type.Integer(),
    reasoning_tokens: Type.Integer({ description: 'Part of output_tokens' }),
    cost_usd: usd,
    model_calls: Type.Integer(),
  },
  { additionalProperties: true },
);

export const resumeEstimate = Type.Union([
  Type.Object({
    tokens_per_turn: Type.Integer({ description: 'Input of each model call, estimated' }),
    usd_per_turn: usd,
  }),
  Type.Null(),
]);

export const share = Type.Object(
  {
    tokens: Type.Integer(),
    cost_usd: usd,
    estimated_tokens: Type.Integer({ description: 'Part of tokens that no provider reported' }),
    share: Type.Number({ description: 'Of the tokens of the whole tree, 0 to 1' }),
  },
  { description: 'What the node itself has spent, live' },
);
