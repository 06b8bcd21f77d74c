// Markdown of agents as harmless HTML: no script, no style, no picture from elsewhere, links that say where they go.
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useMemo } from 'preact/hooks';
import { visible } from '../format.ts';

const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'code', 'em'],
  ...['strong', 'del', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'a'],
];
/** What is longer is shown as text: nobody reads a megabyte of headings. */
const LENGTH = 200_000;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
/** Markup and pictures are shown as what was written: nothing is left for the purifier to take away. */
const reader = new Marked({
  gfm: true,
  async: false,
  renderer: { html: ({ text }) => escaped(text), image: ({ raw }) => escaped(raw) },
});
const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  const target = node.getAttribute('href') ?? '';
  if (!/^https?:\/\//i.test(target)) node.removeAttribute('href');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
  node.setAttribute('target', '_blank');
  node.setAttribute('title', target);
});

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => {
    if (text.length > LENGTH) return null;
    const dirty = reader.parse(visible(text)) as string;
    return purifier.sanitize(dirty, { ALLOWED_TAGS: TAGS, ALLOWED_ATTR: ['href', 'align'] });
  }, [text]);
  if (html === null) return <pre class="plain">{visible(text)}</pre>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
