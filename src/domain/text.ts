// Cutting text for a reader with a budget of bytes, always on code-point borders.
// Never cuts without saying so, never leaves a lone surrogate behind.

/** Lone surrogates become U+FFFD, so that the text survives UTF-8 and JSON unchanged. */
export const wellFormed = (text: string): string => Buffer.from(text, 'utf8').toString('utf8');

const continues = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** The longest start of the text that fits into `limit` bytes of UTF-8. */
export function headOf(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text.slice(0, limit), 'utf8');
  if (bytes.length <= limit) return bytes.toString('utf8');
  let end = Math.max(0, limit);
  while (end > 0 && continues(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}

/** The longest end of the text that fits into `limit` bytes of UTF-8. */
export function tailOf(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  if (limit <= 0) return '';
  const bytes = Buffer.from(text.slice(-limit), 'utf8');
  let start = Math.max(0, bytes.length - limit);
  while (start < bytes.length && continues(bytes[start])) start += 1;
  return bytes.subarray(start).toString('utf8');
}

/** The note that stands where text was left out. Sizes in bytes. */
export const cutNote = (left_out: number, total: number, whole: string): string =>
  `\n[... ${left_out} of ${total} bytes left out here; ${whole} ...]\n`;

/**
 * The text when it fits into `limit` bytes, else head, note and tail that fit together.
 * `whole` says where all of it is, e.g. "the whole is in .troupe/x.txt".
 */
export function clip(text: string, limit: number, whole: string): string {
  const total = Buffer.byteLength(text);
  if (total <= limit) return wellFormed(text);
  const room = Math.max(0, limit - Buffer.byteLength(cutNote(total, total, whole)));
  const head = headOf(text, Math.ceil(room * 0.6));
  const tail = tailOf(text, Math.floor(room * 0.4));
  const kept = Buffer.byteLength(head) + Buffer.byteLength(tail);
  return `${head}${cutNote(total - kept, total, whole)}${tail}`;
}

/** One line of at most `limit` characters for people. */
export function oneLine(text: string, limit = 200): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const points = flat.length > limit ? [...flat.slice(0, limit + 2)] : [];
  return wellFormed(flat.length > limit ? `${points.slice(0, limit - 1).join('')}…` : flat);
}

/**
 * The end of what a process said, for one sentence: without the frames of a stack, which push the line that says
 * what is wrong out of sight. At most 500 characters.
 */
export const lastWords = (tail: string): string =>
  tail
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n')
    .trim()
    .slice(-500);
