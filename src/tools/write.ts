// write: a file as a whole, created with its folders or replaced in one step.

import type { Tool } from '../domain/tool.ts';
import { replaceFile } from './files/replace.ts';
import { succeeded } from './result.ts';

export const write: Tool = {
  name: 'write',
  description:
    'Writes a text file of the working folder (UTF-8). Missing folders are created; an existing file is replaced as a whole. To change a part of a file use edit.',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Path relative to the working folder.' },
      content: { type: 'string', description: 'The whole new text of the file.' },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  async run(args, ctx) {
    const { path, content } = args as { path: string; content: string };
    const bytes = Buffer.from(content, 'utf8');
    const { created, was_bytes } = await replaceFile(ctx.workdir, path, bytes);
    const did = created ? 'created' : 'replaced';
    const lines = content === '' ? 0 : content.replace(/\n$/, '').split('\n').length;
    return succeeded(
      `${did} ${path}: ${bytes.length} bytes, ${lines} line(s)${created ? '' : `; before: ${was_bytes} bytes`}`,
      `${did} ${path} (${bytes.length} bytes)`,
    );
  },
};
