// What a binary file is, by its first bytes. Pure; names only what it recognises.

const SIGNATURES: readonly (readonly [what: string, at: number, bytes: string])[] = [
  ['PNG image', 0, '\x89PNG\r\n\x1a\n'],
  ['JPEG image', 0, '\xff\xd8\xff'],
  ['GIF image', 0, 'GIF8'],
  ['WebP image', 8, 'WEBP'],
  ['AVIF image', 4, 'ftypavif'],
  ['BMP image', 0, 'BM'],
  ['icon', 0, '\0\0\x01\0'],
  ['PDF document', 0, '%PDF-'],
  ['ZIP archive (or a document packed as one)', 0, 'PK\x03\x04'],
  ['gzip archive', 0, '\x1f\x8b'],
  ['xz archive', 0, '\xfd7zXZ\0'],
  ['Zstandard archive', 0, '\x28\xb5\x2f\xfd'],
  ['tar archive', 257, 'ustar'],
  ['SQLite database', 0, 'SQLite format 3\0'],
  ['Linux program or library', 0, '\x7fELF'],
  ['WebAssembly module', 0, '\0asm'],
  ['MP4 video', 4, 'ftyp'],
  ['audio or video in Ogg', 0, 'OggS'],
  ['MP3 audio', 0, 'ID3'],
  ['WAV audio', 8, 'WAVE'],
];

function sizeOf(what: string, head: Buffer): string {
  if (what.startsWith('PNG') && head.length >= 24)
    return ` (${head.readUInt32BE(16)} × ${head.readUInt32BE(20)} pixels)`;
  if (what.startsWith('GIF') && head.length >= 10)
    return ` (${head.readUInt16LE(6)} × ${head.readUInt16LE(8)} pixels)`;
  return '';
}

/** For example `PNG image (640 × 480 pixels)`; `binary file` when the bytes say nothing. */
export function signatureOf(head: Buffer): string {
  const text = head.toString('latin1');
  const what = SIGNATURES.find(([, at, bytes]) => text.startsWith(bytes, at))?.[0];
  return what === undefined ? 'binary file' : what + sizeOf(what, head);
}
