// read: lines of a text file with their numbers. Never loads a whole file to show a part of it.

import type { Tool } from '../domain/tool.ts';
import { openFile } from './files/confine.ts';
import { type LineRange, readLines } from './files/lines.ts';
import { signatureOf } from './files/signature.ts';
import { withSimilar } from './files/similar.ts';
import { failed, succeeded } from './result.ts';

const DEFAULT_LINES = 2_000;

function notes(range: LineRange, size: number): string[] {
  const last = range.first + range.lines.length - 1;
  const said: string[] = [];
  if (range.total === null)
    said.push(`lines ${range.first}-${last} of a file of ${size} bytes; more lines follow`);
  else if (last < range.total || range.first > 1)
    said.push(`lines ${range.first}-${last} of ${range.total}`);
  if (range.total === null || last < range.total) said.push(`continue with offset ${last + 1}`);
  if (range.encoding === 'not UTF-8')
    said.push('not valid UTF-8: broken bytes are shown as \uFFFD; edit refuses this file');
  else if (range.encoding !== 'UTF-8') said.push(`encoded in ${range.encoding}`);
  if (range.crlf) said.push('lines end with CRLF');
  if (range.shortened > 0) said.push(`${range.shortened} very long line(s) cut`);
  return said;
}

export const read: Tool = {
  name: 'read',
  description:
    'Reads a text file of the working folder. Every line comes as its number, a tab and its text. Use offset (first line, from 1) and limit (number of lines) for a part of a large file.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path relative to the working folder.' },
      offset: { type: 'integer', minimum: 1, description: 'First line to show, from 1.' },
      limit: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Most lines to show.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const {
      path,
      offset = 1,
      limit = DEFAULT_LINES,
    } = args as {
      path: string;
      offset?: number;
      limit?: number;
    };
    const file = await openFile(ctx.workdir, path).catch(async (error) => {
      throw await withSimilar(error, ctx.workdir, path);
    });
    try {
      const { size } = file.stat;
      const max_bytes = Math.max(1_000, ctx.result_limit - 1_000);
      const range = await readLines(file.handle, size, { offset, limit, max_bytes });
      if (range.encoding === 'binary')
        return failed(
          `"${path}" is a ${signatureOf(range.head)} of ${size} bytes; read shows only text`,
        );
      if (size === 0) return succeeded(`"${path}" is empty`, `read ${path} (empty)`);
      if (range.lines.length === 0)
        return failed(
          `"${path}" has ${range.total ?? 'fewer'} line(s); offset ${offset} is past its end`,
        );
      const body = range.lines.map((l, i) => `${String(range.first + i).padStart(6)}\t${l}`);
      const said = notes(range, size);
      const tail = said.length > 0 ? `\n[${said.join('; ')}]` : '';
      return succeeded(body.join('\n') + tail, `read ${path} (${range.lines.length} lines)`);
    } finally {
      await file.handle.close();
    }
  },
};
