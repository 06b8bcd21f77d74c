// The terminal as the commands see it: lines with tones, JSON lines, one question.
// The only file that writes to stdout or stderr; it cleans every piece of text before it adds colour.
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { cleanJson, cleanLine, cleanText } from './clean.ts';
import { type Column, fieldLines, tableLines } from './table.ts';

const TONES = { good: 32, bad: 31, warn: 33, accent: 36, spark: 35, dim: 2, bold: 1 } as const;
export type Tone = keyof typeof TONES;
export type Part = string | { tone: Tone; text: string };

export type Output = Writable & { isTTY?: boolean; columns?: number };
export type Input = Readable & { isTTY?: boolean };
export type Streams = { stdin: Input; stdout: Output; stderr: Output };

export type Reply = 'yes' | 'no' | 'interrupt';
export type Terminal = {
  /** Width in columns, or null when stdout is not a terminal: then nothing is cut. */
  columns(): number | null;
  /** A person can be asked. */
  interactive: boolean;
  line(...parts: Part[]): void;
  text(block: string): void;
  /** A table on stdout. */
  table<T>(rows: readonly T[], spec: Column<T>[]): void;
  fields(fields: [string, string | number | null | undefined][]): void;
  json(value: unknown): void;
  /** To stderr: what is not the result. */
  note(...parts: Part[]): void;
  /** Bytes as they are when stdout is a file or pipe, as clean text on a terminal. Waits for a slow reader. */
  bytes(chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** "y" or "yes" is yes; `interrupt` is Ctrl-C; anything else, or the abort of `signal`, is no. */
  confirm(question: string, signal: AbortSignal): Promise<Reply>;
  /** A line that a person types; `interrupt` is Ctrl-C; null: the input, or `signal`, has ended. */
  ask(question: string, signal: AbortSignal): Promise<string | 'interrupt' | null>;
};

const drained = (stream: Output): Promise<void> =>
  new Promise((resolve) => {
    stream.once('drain', resolve);
    stream.once('close', resolve);
  });

export function createTerminal(streams: Streams, { noColour }: { noColour: boolean }): Terminal {
  const { stdin, stdout, stderr } = streams;
  const render = (stream: Output, parts: Part[]): string => {
    const colour = stream.isTTY === true && !noColour;
    const painted = parts.map((part) => {
      if (typeof part === 'string') return cleanPart(part);
      const text = cleanPart(part.text);
      return colour && text !== '' ? `\x1b[${TONES[part.tone]}m${text}\x1b[0m` : text;
    });
    return `${painted.join('').trimEnd()}\n`;
  };
  const columns = () => (stdout.isTTY === true ? stdout.columns || 80 : null);
  const line = (...parts: Part[]) => void stdout.write(render(stdout, parts));
  const lines = ([head, ...rest]: string[]) => {
    if (head !== undefined) line({ tone: 'dim', text: head });
    for (const row of rest) line(row);
  };
  return {
    columns,
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    line,
    text: (block) => void stdout.write(`${cleanText(block).trimEnd()}\n`),
    table: (rows, spec) => lines(tableLines(rows, spec, columns())),
    fields: (fields) => {
      for (const row of fieldLines(fields)) line(row);
    },
    json: (value) => void stdout.write(`${cleanJson(value)}\n`),
    note: (...parts) => void stderr.write(render(stderr, parts)),
    async bytes(chunks) {
      const decoder = new TextDecoder();
      for await (const chunk of chunks) {
        const piece =
          stdout.isTTY === true ? cleanText(decoder.decode(chunk, { stream: true })) : chunk;
        if (!stdout.write(piece)) await drained(stdout);
      }
    },
    async confirm(question, signal) {
      const typed = await ask(streams, question, signal);
      if (typed === 'interrupt') return 'interrupt';
      return typed !== null && /^y(es)?$/i.test(typed.trim()) ? 'yes' : 'no';
    },
    ask: (question, signal) => ask(streams, question, signal),
  };
}

/** Within a line, leading and trailing blanks are layout and stay. */
const cleanPart = (text: string): string =>
  `${/^ */.exec(text)?.[0] ?? ''}${cleanLine(text.trimStart())}${/\S/.test(text) ? (/ *$/.exec(text)?.[0] ?? '') : ''}`;

function ask(
  { stdin, stderr }: Streams,
  question: string,
  signal: AbortSignal,
): Promise<string | 'interrupt' | null> {
  return new Promise((resolve) => {
    const reader = createInterface({
      input: stdin,
      output: stderr,
      terminal: stdin.isTTY === true,
    });
    const settle = (reply: string | null) => {
      signal.removeEventListener('abort', refuse);
      // The first reply counts: closing says once more that there is none.
      resolve(reply);
      reader.close();
    };
    const refuse = () => settle(null);
    signal.addEventListener('abort', refuse, { once: true });
    reader.once('close', refuse);
    // While it asks, Ctrl-C is a key and no signal.
    reader.once('SIGINT', () => settle('interrupt'));
    // Typed words are never taken for the key.
    reader.question(question, (answer) => settle(answer === 'interrupt' ? ' interrupt' : answer));
  });
}
