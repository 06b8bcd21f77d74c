// Long-term memory as three tools: store, search, correct. Records are data with their origin, never instructions.
import { frameData } from '../domain/data-frame.ts';
import { LAYERS, MEMORY_LIMITS, type MemoryAnswer, type MemoryRecord } from '../domain/memory.ts';
import type { JsonSchema } from '../domain/message.ts';
import type { Tool, ToolResult } from '../domain/tool.ts';
import { failed, succeeded } from './result.ts';

const DEFAULT_RESULTS = 5;

const schema = (properties: Record<string, JsonSchema>, required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const layer: JsonSchema = {
  type: 'string',
  minLength: 1,
  description: `${LAYERS.join(', ')}: how this user wants things, what is true for this project, what is true anywhere.`,
};
const content: JsonSchema = { type: 'string', minLength: 1, maxLength: MEMORY_LIMITS.content };

const refused = ({ code, message }: Extract<MemoryAnswer, { ok: false }>): ToolResult =>
  failed(`${code}: ${message}`);
const odd = (): ToolResult => failed('the answer of the runtime had another shape');

function written(answer: MemoryAnswer, said: string): ToolResult {
  if (!answer.ok) return refused(answer);
  if (!('record' in answer)) return odd();
  const { record_id, layer: where } = answer.record;
  return succeeded(`${said}: ${record_id} in ${where}`, `${said}: ${record_id}`);
}

const describe = ({
  record_id,
  layer: where,
  source,
  created_at,
  tags,
  content: text,
}: MemoryRecord) =>
  `record_id: ${record_id}\nlayer: ${where}, stored ${created_at.slice(0, 10)} by ${source}${tags.length > 0 ? `, tags: ${tags.join(', ')}` : ''}\n${text}`;

const store: Tool = {
  name: 'memory_store',
  description:
    'Keeps a durable fact for later work: one fact in a sentence or two that stands alone. Not for what holds only in this task (use brain_record), never for secrets.',
  parameters: schema(
    {
      content,
      layer,
      tags: {
        type: 'array',
        maxItems: MEMORY_LIMITS.tags,
        items: { type: 'string', minLength: 1, maxLength: MEMORY_LIMITS.tag },
      },
    },
    ['content', 'layer'],
  ),
  async run(args, ctx) {
    const {
      content: text,
      layer: where,
      tags = [],
    } = args as {
      content: string;
      layer: string;
      tags?: string[];
    };
    const call = { op: 'store' as const, call_id: ctx.call_id, content: text, layer: where, tags };
    return written(await ctx.host.memory(call), 'stored');
  },
};

const search: Tool = {
  name: 'memory_search',
  description:
    'Finds what is remembered about something, in any language, by the words that matter. Answers nothing when nothing fits.',
  parameters: schema(
    {
      query: { type: 'string', minLength: 1, maxLength: MEMORY_LIMITS.query },
      layer,
      n: { type: 'integer', minimum: 1, maximum: MEMORY_LIMITS.results },
    },
    ['query'],
  ),
  async run(args, ctx) {
    const {
      query,
      layer: where = null,
      n = DEFAULT_RESULTS,
    } = args as {
      query: string;
      layer?: string;
      n?: number;
    };
    const answer = await ctx.host.memory({ op: 'search', query, layer: where, n });
    if (!answer.ok) return refused(answer);
    if (!('records' in answer)) return odd();
    const { records } = answer;
    if (records.length === 0) return succeeded('nothing is remembered about that', 'found nothing');
    const body = records.map(describe).join('\n\n');
    return succeeded(frameData('memory', body), `found ${records.length}`);
  },
};

const correct: Tool = {
  name: 'memory_correct',
  description:
    'Replaces a record that is wrong or out of date by a new text. The old one stays in its history and is found no more.',
  parameters: schema(
    {
      record_id: { type: 'string', minLength: 1, description: 'The whole id: mem_…' },
      replacement: content,
      reason: { type: 'string', minLength: 1, maxLength: 500 },
    },
    ['record_id', 'replacement'],
  ),
  async run(args, ctx) {
    const {
      record_id,
      replacement,
      reason = null,
    } = args as {
      record_id: string;
      replacement: string;
      reason?: string;
    };
    const call_id = ctx.call_id;
    const call = { op: 'correct' as const, call_id, record_id, replacement, reason };
    return written(await ctx.host.memory(call), 'corrected');
  },
};

export const memoryTools = (): Tool[] => [search, store, correct];
