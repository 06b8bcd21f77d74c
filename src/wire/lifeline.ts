// The child's end of the lifeline: one line on stdin says who it is; the end of stdin says that main is gone.
import type { Readable } from 'node:stream';
import { LINE_LIMIT, type Lifeline, WIRE_VERSION } from './protocol.ts';

export type LifelineEnd = {
  /** Resolves with the first line, or null when main ended before it said anything. Rejects on a bad line. */
  first: Promise<Lifeline | null>;
  /** Aborted when main is gone. */
  ended: AbortSignal;
};

export function readLifeline(stdin: Readable): LifelineEnd {
  const gone = new AbortController();
  const first = new Promise<Lifeline | null>((resolve, reject) => {
    let parts: Buffer[] = [];
    let size = 0;
    let done = false;
    stdin.on('data', (chunk: Buffer) => {
      if (done) return;
      parts.push(chunk);
      size += chunk.length;
      if (!chunk.includes(10)) {
        if (size > LINE_LIMIT) reject(new Error(`lifeline longer than ${LINE_LIMIT} bytes`));
        return;
      }
      done = true;
      const all = Buffer.concat(parts);
      parts = [];
      try {
        resolve(parseLifeline(all.subarray(0, all.indexOf(10))));
      } catch (error) {
        reject(error as Error);
      }
    });
    const end = () => {
      resolve(null);
      gone.abort();
    };
    stdin.once('end', end).once('close', end).once('error', end);
  });
  return { first, ended: gone.signal };
}

function parseLifeline(bytes: Buffer): Lifeline {
  const life = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Lifeline;
  if (life.v !== WIRE_VERSION)
    throw new Error(`lifeline version ${life.v}; this worker speaks ${WIRE_VERSION}`);
  return life;
}
