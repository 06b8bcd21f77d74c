// What a body is, from its declared type and its first bytes, and what file name ending suits it. Pure.

export type Media = { kind: 'html' | 'text' | 'file'; type: string; charset: string | undefined };

const TEXT =
  /^(?:text\/|(?:application|image)\/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonl?|graphql|sql|x-sh|x-httpd-php|rtf|x-tex)$)/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const ENDINGS: Record<string, string> = {
  'application/gzip': 'gz',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'audio/mpeg': 'mp3',
  'image/jpeg': 'jpg',
  'video/mp4': 'mp4',
};

const looksLikeHtml = (start: string): boolean =>
  /^\s*(?:<!--|<!doctype html|<html\b)/i.test(start);

export function mediaOf(header: string | undefined, bytes: Buffer): Media {
  const [given = ''] = (header ?? '').split(';');
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(given.trim())
    ? given.trim().toLowerCase()
    : 'unknown type';
  const charset = /charset\s*=\s*["']?([\w:.-]+)/i.exec(header ?? '')?.[1];
  const start = bytes.subarray(0, 8_192);
  const wide =
    /^utf-?(?:16|32)/i.test(charset ?? '') ||
    [0xfffe, 0xfeff].includes(start.length > 1 ? start.readUInt16BE() : 0);
  // Bytes that no text holds decide against what the server says.
  if (start.includes(0) && !wide) return { kind: 'file', type, charset };
  const unsaid = type === 'unknown type' || type === 'text/plain';
  const sniffed = type === 'unknown type' && looksLikeHtml(start.toString('latin1'));
  if (HTML.test(type) || sniffed) return { kind: 'html', type, charset };
  return { kind: unsaid || TEXT.test(type) ? 'text' : 'file', type, charset };
}

/** Letters and digits only: it becomes part of a file name. */
export function endingOf(type: string, url: URL): string {
  const named = /\.([a-z\d]{1,8})$/i.exec(url.pathname)?.[1]?.toLowerCase();
  const last = type.split(/[/+]/).at(-1)?.replace(/^x-/, '') ?? '';
  return ENDINGS[type] ?? named ?? (/^[a-z\d]{1,8}$/.test(last) ? last : 'bin');
}
