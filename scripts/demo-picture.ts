// Writes docs/images/demo.svg: what `npm run demo` prints, as a picture of a terminal. A real run each time, with
// the less telling lines left out; nothing is invented and nothing is reordered.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILE = 'docs/images/demo.svg';
/** The demo takes seconds; its own limits are far below this. */
const DEMO_MS = 400_000;
const COLUMNS = 104;
const ROW = 19;
const MARGIN = 16;
const WIDTH = 860;

/** Steps of agents that are shown; "created" and "assigned" say the same as the "running" after them. */
const SHOWN =
  /^\d\d:\d\d:\d\d {2}.{22} {2}(running|ready|completed|tool +(write|shell: \$ node --test))/;
const TAIL = /^✓ /;

export function runDemo(): string {
  const root = dirname(import.meta.dirname);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'scripts/demo.ts'],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: DEMO_MS,
      env: { PATH: process.env.PATH, TZ: 'UTC', NO_COLOR: '1' },
    },
  );
  if (status !== 0) throw new Error(`the demo failed (${status}):\n${stdout}${stderr}`);
  return stdout;
}

/** The lines of a demo that the picture shows, cut to its width. */
export function shownLines(output: string): string[] {
  const lines = output.split('\n').map((line) => line.replace(/(?<=troupe-demo-)\w+/, '…'));
  return [
    '$ npm run demo',
    ...lines.filter((line) => line.startsWith('request: ')),
    '',
    ...lines.filter((line) => SHOWN.test(line)),
    '',
    ...lines.filter((line) => TAIL.test(line)),
  ].map((line) => (line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line));
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const span = (tone: string, text: string): string =>
  text === '' ? '' : `<tspan class="${tone}">${escaped(text)}</tspan>`;

const TONES: Record<string, string> = { running: 'accent', ready: 'good', completed: 'good' };
function coloured(line: string): string {
  const [, time, who = '', state = '', rest = ''] =
    /^(\d\d:\d\d:\d\d {2})(.{22} {2})(\S+)(.*)$/.exec(line) ?? [];
  if (time !== undefined)
    return span('dim', time) + escaped(who) + span(TONES[state] ?? 'dim', state) + escaped(rest);
  if (line.startsWith('✓ ')) return span('good', '✓') + escaped(line.slice(1));
  return line.startsWith('$ ') ? span('dim', '$ ') + escaped(line.slice(2)) : escaped(line);
}

function pictureOf(lines: readonly string[]): string {
  const height = lines.length * ROW + 2 * MARGIN;
  const rows = lines.map(
    (line, at) => `  <text x="${MARGIN}" y="${MARGIN + 13 + at * ROW}">${coloured(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
  <title id="t">A run of npm run demo in a terminal</title>
  <desc id="d">Role servers start when they are first needed, agents write files and run tests, the request completes, and no process is left.</desc>
  <style>
    text{white-space:pre;fill:#1f2328}.bg{fill:#f6f8fa;stroke:#d1d9e0}.dim{fill:#59636e}.good{fill:#1a7f37}.accent{fill:#0969da}
    @media (prefers-color-scheme: dark){text{fill:#e6edf3}.bg{fill:#0d1117;stroke:#3d444d}.dim{fill:#9198a1}.good{fill:#3fb950}.accent{fill:#58a6ff}}
  </style>
  <rect class="bg" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${rows.join('\n')}
</svg>
`;
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(dirname(import.meta.dirname), FILE), pictureOf(shownLines(runDemo())));
