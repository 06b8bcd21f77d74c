// What the agent gets of a page: its text in a frame of data, or where the file lies that is no text.
// Never shows more than the limit, never cuts without saying where the whole is.
import { frameData } from '../../domain/data-frame.ts';
import { headOf } from '../../domain/text.ts';
import type { ToolContext, ToolResult } from '../../domain/tool.ts';
import { visibleText } from '../../domain/visible-text.ts';
import { createKept } from '../files/keep.ts';
import { failed, succeeded } from '../result.ts';
import type { Body } from './body.ts';
import { decodeText } from './charset.ts';
import { htmlToMarkdown } from './html-to-markdown.ts';
import { endingOf, type Media, mediaOf } from './media.ts';
import type { Answer } from './request.ts';

/** Bytes of a result kept free for the frame and what is said around it. */
const ROOM = 1_500;
/** Characters of HTML that are turned into text: the process has other runs to serve meanwhile. */
const MOST_HTML = 4 * 1024 * 1024;
/** Of an error page, only this much. */
const ERROR_PAGE = 2_000;

async function keep(ctx: ToolContext, ending: string, content: Buffer | string): Promise<string> {
  const { handle, rel } = await createKept(ctx.workdir, ctx.call_id, ending);
  try {
    await handle.writeFile(content);
    return rel;
  } finally {
    await handle.close();
  }
}

const sizeOf = (bytes: number): string =>
  bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`;

/** Ends at a line where one is near. */
function startOf(text: string, limit: number): string {
  const head = headOf(text, limit);
  const line = head.lastIndexOf('\n');
  return head.length < text.length && line > head.length * 0.8 ? head.slice(0, line) : head;
}

// Runs of joiners have no meaning, and would cost time without end further on.
const calm = (text: string): string =>
  visibleText(text.replace(/([\u200c\u200d])[\u200c\u200d]+/g, '$1'));

function textOf(body: Body, { kind, charset }: Media, url: URL): { text: string; cut: boolean } {
  const all = decodeText(body.bytes, charset, body.cut !== null);
  if (kind === 'text') return { text: calm(all), cut: body.cut !== null };
  const page = htmlToMarkdown(all.slice(0, MOST_HTML), url);
  const title = page.title === '' ? '' : `Title: ${calm(page.title)}\n\n`;
  return { text: title + calm(page.text), cut: body.cut !== null || all.length > MOST_HTML };
}

export async function show(answer: Answer, body: Body, ctx: ToolContext): Promise<ToolResult> {
  const { url, response, redirects } = answer;
  const status = response.statusCode ?? 0;
  const media = mediaOf(response.headers['content-type'], body.bytes);
  const size = sizeOf(body.bytes.length);
  const head = `${url.href.slice(0, 500)}: status ${status}, ${media.type}, ${size}${redirects > 0 ? `, after ${redirects} redirect(s)` : ''}`;
  const summary = `fetched ${url.href.slice(0, 120)} (${status}, ${size})`;
  if (body.bytes.length === 0)
    return status < 400 ? succeeded(`${head}. It is empty.`, summary) : failed(`${head}. No page.`);
  if (media.kind === 'file') {
    if (body.cut !== null)
      return failed(
        `${head} and more: it is too large to be kept (most: 5 MiB as sent, 10 MiB unpacked)`,
      );
    if (status >= 400) return failed(`${head}. It is no text.`);
    const path = await keep(ctx, endingOf(media.type, url), body.bytes);
    return succeeded(`${head}. It is no text; it is kept in ${path}.`, summary);
  }
  const { text, cut } = textOf(body, media, url);
  const from = `the web page ${url.href.slice(0, 300)}`;
  const room = Math.max(500, ctx.result_limit - ROOM);
  const start = startOf(text, status < 400 ? room : Math.min(room, ERROR_PAGE));
  const notes: string[] = [];
  if (cut) notes.push('the page is larger than fetch takes: this is its start');
  if (start.length < text.length && status < 400) {
    const path = await keep(ctx, media.kind === 'html' ? 'md' : 'txt', text);
    notes.push(
      `shown: the first ${Buffer.byteLength(start)} of ${Buffer.byteLength(text)} bytes; the whole is in ${path}; read it with offset and limit, or grep it`,
    );
  }
  const said = notes.length > 0 ? `\n[${notes.join('; ')}]` : '';
  const content = `${head}\n${frameData(from, start)}${said}`;
  return status < 400 ? succeeded(content, summary) : { ...failed(head), content };
}
