import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fetchKit, localSite, page } from './local-site.ts';

const MIB = 1024 * 1024;

/** Writes as fast as the reader takes it, until it is gone. */
function pour(response: ServerResponse, chunk: Buffer): void {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

describe('limits', () => {
  it.each([
    ['gzip', gzipSync],
    [
      'br',
      (b: Buffer) => brotliCompressSync(b, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    ],
  ] as const)('a %s bomb ends at the limit', async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(64 * MIB, 'boom! '));
    expect(bomb.length).toBeLessThan(2 * MIB);
    const site = await localSite(page('text/plain', bomb, { 'content-encoding': encoding }));
    const before = process.memoryUsage().rss;
    const { ok, content } = await fetchKit(['127.0.0.1']).fetch(site.url);
    expect(ok).toBe(true);
    expect(content).toContain('boom!');
    expect(content).toContain('larger than fetch takes');
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
  });

  it('an endless body ends after 5 MiB', async () => {
    let sent = 0;
    const site = await localSite((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      pour(response, Buffer.alloc(64 * 1024, 'more and more\n'));
      response.on('close', () => {
        sent = response.socket?.bytesWritten ?? 0;
      });
    });
    const { ok, content } = await fetchKit(['127.0.0.1']).fetch(site.url);
    expect(ok).toBe(true);
    expect(content).toContain(`of ${5 * MIB} bytes`);
    expect(content).toContain('larger than fetch takes');
    expect(sent).toBeLessThan(20 * MIB);
  });

  it('a file that is too large is not kept in part', async () => {
    const site = await localSite(page('application/zip', Buffer.alloc(6 * MIB)));
    const { ok, content } = await fetchKit(['127.0.0.1']).fetch(site.url);
    expect(ok).toBe(false);
    expect(content).toContain('too large to be kept');
  });

  it('a slow drip ends at the deadline', async () => {
    const site = await localSite((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { ok, content } = await fetchKit(['127.0.0.1'], undefined, 300).fetch(site.url);
    expect(ok).toBe(false);
    expect(content).toContain('no complete answer within 0.3 s');
  });

  it('headers without end are refused', async () => {
    const site = await localSite((_, response) => {
      response.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end('body');
    });
    const { content } = await fetchKit(['127.0.0.1']).fetch(site.url);
    expect(content).toContain('headers of the answer are larger than 16 KiB');
  });

  it('an answer that breaks off, and one that is packed wrongly, are failures', async () => {
    const site = await localSite({
      '/broken': (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half');
        response.socket?.end();
      },
      '/packed': page('text/plain', 'not gzip at all', { 'content-encoding': 'gzip' }),
      '/odd': page('text/plain', 'x', { 'content-encoding': 'zstd' }),
    });
    const { fetch } = fetchKit(['127.0.0.1']);
    for (const [path, said] of [
      ['/broken', /closed the connection|broke off/],
      ['/packed', /compressed answer is broken/],
      ['/odd', /content encoding "zstd" is not supported/],
    ] as const) {
      const { ok, content } = await fetch(site.url + path);
      expect(ok).toBe(false);
      expect(content).toMatch(said);
    }
  });

  it('a big page is cut with a note, and the whole is kept in a file', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `<p>row ${i + 1} 가나다</p>`).join('');
    const site = await localSite(page('text/html; charset=utf-8', `<title>Big</title>${rows}`));
    const { workdir, fetch } = fetchKit(['127.0.0.1']);
    const { ok, content } = await fetch(site.url);
    expect(ok).toBe(true);
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(30_000);
    expect(content).not.toContain('\uFFFD');
    const [, shown, total, path = ''] =
      /shown: the first (\d+) of (\d+) bytes; the whole is in (\S+\.md);/.exec(content) ?? [];
    const whole = readFileSync(join(workdir, path), 'utf8');
    expect(whole).toMatch(/^Title: Big\n\nrow 1 가나다\n[\s\S]*\nrow 20000 가나다$/);
    expect(Buffer.byteLength(whole)).toBe(Number(total));
    expect(Number(shown)).toBeLessThan(30_000);
  });
});

describe('character sets', () => {
  const euc = Buffer.from([0xc7, 0xd1, 0xb1, 0xdb]);
  const sjis = Buffer.from([0x93, 0xfa, 0x96, 0x7b]);
  const gb = Buffer.from([0xd6, 0xd0, 0xce, 0xc4]);
  const html = (head: string, body: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`<html><head>${head}</head><body><p>`), body, Buffer.from('</p>')]);
  it.each([
    ['the header', 'text/html; charset=euc-kr', html('', euc), '한글'],
    ['a meta tag', 'text/html', html('<meta charset="Shift_JIS">', sjis), '日本'],
    [
      'an old meta tag',
      'text/html',
      html('<meta http-equiv=Content-Type content="text/html; charset=gb18030">', gb),
      '中文',
    ],
    ['nothing, and it is UTF-8', 'text/plain', Buffer.from('çé한'), 'çé한'],
    ['nothing, and it is Latin-1', 'text/plain', Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'café'],
    ['a byte order mark', 'text/plain', Buffer.from('\uFEFF안녕', 'utf16le'), '안녕'],
    ['an unknown name', 'text/html; charset=klingon', html('', Buffer.from('한')), '한'],
  ])('read by %s', async (_, type, body, text) => {
    const site = await localSite(page(type, body));
    const { content } = await fetchKit(['127.0.0.1']).fetch(site.url);
    expect(content).toContain(`\n${text}\n<<<END`);
  });

  it('characters that come in pieces stay whole', async () => {
    const text = '가나다라마바사'.repeat(50);
    const site = await localSite((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
      response.end();
    });
    expect((await fetchKit(['127.0.0.1']).fetch(site.url)).content).toContain(text);
  });
});
