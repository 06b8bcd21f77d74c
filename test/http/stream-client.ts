// A reader of server-sent events that shows each frame, its headers and when the stream ended.
import { get, type IncomingMessage } from 'node:http';
import { createSseParser, type SseMessage } from '../../src/cli/sse.ts';

export type SseClient = {
  answer: IncomingMessage;
  frames: SseMessage[];
  text(): string;
  /** Sequence numbers seen, in order. */
  seqs(): number[];
  ended: Promise<void>;
  stop(): void;
};

export function openSse(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { accept: 'text/event-stream', ...headers } }, (answer) => {
      const parser = createSseParser();
      const frames: SseMessage[] = [];
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        frames.push(...parser.push(chunk));
      });
      answer.on('error', () => {});
      const ended = new Promise<void>((done) => answer.on('close', () => done()));
      resolve({
        answer,
        frames,
        text: () => text,
        seqs: () =>
          frames.flatMap((f) => {
            const { seq } = JSON.parse(f.data) as { seq?: number };
            return seq === undefined ? [] : [seq];
          }),
        ended,
        stop: () => request.destroy(),
      });
    });
    request.on('error', reject);
  });
}
