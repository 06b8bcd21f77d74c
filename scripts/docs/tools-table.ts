// The table of docs/tools.md: every tool with its arguments, as agents are told of it.
import type { JsonSchema } from '../../src/domain/message.ts';
import { roleTools } from '../../src/tools/index.ts';
import { code, table } from './blocks.ts';

function argument(name: string, schema: JsonSchema, required: boolean): string {
  const kind = schema.enum?.map((one) => code(String(one))).join(', ') ?? schema.type ?? '';
  return `${code(name)} ${kind}${required ? '' : ', optional'}`;
}

export const toolsTable = (): string =>
  table(
    ['tool', 'what it does', 'arguments'],
    roleTools().map(({ name, description, parameters }) => [
      code(name),
      description,
      Object.entries(parameters.properties ?? {})
        .map(([key, schema]) => argument(key, schema, parameters.required?.includes(key) ?? false))
        .join('; ') || 'none',
    ]),
  );
