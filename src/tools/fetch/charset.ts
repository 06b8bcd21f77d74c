// Turns the bytes of a page into text: byte order mark, then the header, then what the page says of itself,
// then UTF-8 if it is that, else Windows-1252. Pure.

type Decoder = InstanceType<typeof TextDecoder>;
const START = 4_096;
const DECLARED = [
  /<meta[^>]{0,300}?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i,
  /^\s*<\?xml[^>]{0,200}?\bencoding\s*=\s*["']([\w:.-]+)/i,
];

function decoderOf(label: string | undefined): Decoder | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label.trim());
  } catch {
    return null;
  }
}

function ofMark(bytes: Buffer): Decoder | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder('utf-8');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  return null;
}

function ofPage(bytes: Buffer): Decoder | null {
  const start = bytes.subarray(0, START).toString('latin1');
  const label = DECLARED.map((pattern) => pattern.exec(start)?.[1]).find((found) => found);
  // A page whose ASCII start could be read is not UTF-16, whatever it says.
  return decoderOf(label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label);
}

/** `declared`: charset of the content type. `partial`: the bytes may end in the middle of a character. */
export function decodeText(bytes: Buffer, declared: string | undefined, partial: boolean): string {
  const stream = { stream: partial };
  const known = ofMark(bytes) ?? decoderOf(declared) ?? ofPage(bytes);
  if (known) return known.decode(bytes, stream);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, stream);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
