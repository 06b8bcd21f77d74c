import { describe, expect, it } from 'vitest';
import { htmlToMarkdown } from '../../src/tools/fetch/html-to-markdown.ts';

const base = new URL('https://site.test/docs/page');
const md = (html: string): string => htmlToMarkdown(html, base).text;

describe('a page as text', () => {
  it('title, headings, paragraphs, links', () => {
    const { title, text } = htmlToMarkdown(
      '<!doctype html><head><title>A &amp; B</title></head><body><h1>One</h1><p>Text\n with <b>bold</b> and <a href="../x?a=1&amp;b=2">a link</a>.</p><h2><a href="#here">Two</a></h2><p>More',
      base,
    );
    expect(title).toBe('A & B');
    expect(text).toBe(
      '# One\n\nText with bold and [a link](https://site.test/x?a=1&b=2).\n\n## Two\n\nMore',
    );
  });
  it('lists in lists, with and without end tags', () => {
    expect(md('<ul><li>a<li>b<ol start=3><li>c</li><li>d</ol></li><li>e</ul><p>end')).toBe(
      '- a\n- b\n  3. c\n  4. d\n- e\n\nend',
    );
  });
  it('tables', () => {
    expect(
      md(
        '<table><tr><th>Name<th>Age</tr><tr><td>Ann</td><td><p>3</p><p>1|2</p></td></tr><tr><td>Bob</table>',
      ),
    ).toBe('| Name | Age |\n| --- | --- |\n| Ann | 3 1\\|2 |\n| Bob |  |');
  });
  it('code keeps its lines, and its fence is longer than any in it', () => {
    expect(md('<p>Use <code>x</code>:</p><pre><code>if (a) {\n  b &lt; c;\n}\n</code></pre>')).toBe(
      'Use `x`:\n\n```\nif (a) {\n  b < c;\n}\n```',
    );
    expect(md('<pre>```\na\n```</pre>')).toBe('````\n```\na\n```\n````');
    expect(
      md('<table><tr><td><pre>1\n2</pre></td><td><pre>a();\nb();</pre></td></tr></table>'),
    ).toContain('```\na();\nb();\n```');
  });
  it('quotes, breaks, images, entities', () => {
    expect(
      md(
        '<blockquote><p>said<br>so</p></blockquote><img alt="A cat" src=x> &copy;&nbsp;&#x41;&unknown; a&ltb',
      ),
    ).toBe('> said\n> so\n\n[image: A cat] © A&unknown; a&ltb');
  });
  it('leaves out scripts, styles, menus, forms and what is hidden', () => {
    const long = 'Something worth reading. '.repeat(12).trim();
    expect(
      md(
        `<script>if (a < b) "</p>"</script><style>p{}</style><nav><ul><li>Home</nav><p>${long}</p><p hidden>no</p><div style="display: none">no</div><!-- no --><button>Buy</button><textarea>no</textarea><svg/><footer>(c)</footer>`,
      ),
    ).toBe(long);
  });
  it('shows the menu of a page that is nothing else', () => {
    expect(md('<nav><a href="/a">A</a></nav>')).toBe('[A](https://site.test/a)');
  });
  it('links only to http and https', () => {
    expect(
      md('<a href="javascript:alert(1)">a</a> <a href="data:,x">b</a> <a href="mailto:x@y">c</a>'),
    ).toBe('a b c');
  });
  it('a link around blocks', () => {
    expect(md('<a href="/a"><h3>Head</h3><p>Body</p></a>')).toBe(
      '### [Head](https://site.test/a)\n\n[Body](https://site.test/a)',
    );
  });

  it.each([
    ['tags that never end', '<a href="'.repeat(300_000)],
    ['open brackets', '<'.repeat(3_000_000)],
    ['quotes', `<a b=${`"'`.repeat(1_000_000)}`],
    ['comments', '<!--'.repeat(700_000)],
    ['deep nesting', '<blockquote><ul><li>'.repeat(150_000)],
    ['spaces in code', `<pre>${' '.repeat(3_000_000)}x`],
    ['spaces between attributes', `<p role${' '.repeat(2_000_000)}hidden>`],
    ['fences', `<pre>${'```a'.repeat(500_000)}`],
    ['cells', `<table><tr>${'<td>x'.repeat(500_000)}`],
    ['one long line of links', '<a href=x>y</a>'.repeat(200_000)],
    ['ampersands', '&amp'.repeat(700_000)],
    ['scripts', '<script>'.repeat(400_000)],
  ])('takes time in proportion to the length: %s', { timeout: 20_000 }, (_, html) => {
    const before = performance.now();
    md(html);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
