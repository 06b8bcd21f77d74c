// Reads the body of an answer within two limits: bytes on the wire, and bytes after decompression.
// Never decompresses more than it keeps: a bomb ends at the limit, not at its end.
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, constants as z } from 'node:zlib';
import { AppError } from '../../domain/errors.ts';
import { orAborted } from './connect.ts';

export type BodyLimits = { wire: number; plain: number };
/** `cut`: the body goes on; these bytes are its start. */
export type Body = { bytes: Buffer; cut: 'wire' | 'plain' | null };

function decoderFor(encoding: string): Transform | null {
  // A stream that was cut by its server still gives what is there.
  const lenient = { finishFlush: z.Z_SYNC_FLUSH };
  switch (encoding) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip(lenient);
    case 'deflate':
      return createInflate(lenient);
    case 'br':
      return createBrotliDecompress({ finishFlush: z.BROTLI_OPERATION_FLUSH });
    default:
      throw new AppError('bad_request', `the content encoding "${encoding}" is not supported`);
  }
}

/** Passes bytes on until the limit, then ends; `onCut` says that there was more. */
function upTo(limit: number, onCut: () => void): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const room = limit - seen;
      seen += chunk.length;
      if (room > 0) this.push(chunk.subarray(0, room));
      if (chunk.length > room) onCut();
      done();
    },
  });
}

export async function readBody(
  response: IncomingMessage,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<Body> {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  const decoder = decoderFor(encoding);
  const chunks: Buffer[] = [];
  let cut: Body['cut'] = null;
  const wire = upTo(limits.wire, () => {
    cut ??= 'wire';
    response.unpipe(wire);
    wire.end();
  });
  const plain: Readable = decoder === null ? wire : wire.pipe(decoder);
  const whole = new Promise<void>((resolve, reject) => {
    let kept = 0;
    plain.on('data', (chunk: Buffer) => {
      const room = limits.plain - kept;
      if (room > 0) chunks.push(chunk.subarray(0, room));
      kept += chunk.length;
      if (kept <= limits.plain) return;
      cut ??= 'plain';
      resolve();
      plain.pause();
    });
    plain.once('end', resolve);
    for (const stream of [response, wire, plain]) stream.on('error', reject);
    response.once('aborted', () => reject(new AppError('bad_request', 'the answer broke off')));
  });
  response.pipe(wire);
  try {
    await orAborted(whole, signal);
    return { bytes: Buffer.concat(chunks), cut };
  } finally {
    response.destroy();
    wire.destroy();
    decoder?.destroy();
  }
}
