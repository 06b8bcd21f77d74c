// How the tests of a project are run: as its test guide says, else as its manifest makes plain.
import { TEST_GUIDE } from '../../workflows/paths.ts';
import { readGuide } from '../../workflows/test-guide.ts';
import { readText } from './files.ts';

export type TestCommand = { command: string; from: string };

const MANIFESTS: readonly [file: string, command: (text: string) => string | null][] = [
  ['package.json', (text) => (hasTestScript(text) ? 'npm test' : null)],
  ['Cargo.toml', () => 'cargo test'],
  ['go.mod', () => 'go test ./...'],
  ['pyproject.toml', (text) => (/\bpytest\b/.test(text) ? 'python3 -m pytest' : null)],
  ['pytest.ini', () => 'python3 -m pytest'],
];

function hasTestScript(text: string): boolean {
  try {
    const script = (JSON.parse(text) as { scripts?: { test?: unknown } }).scripts?.test;
    // What `npm init` writes is no test.
    return typeof script === 'string' && !script.includes('no test specified');
  } catch {
    return false;
  }
}

/** null: there is no guide with a command, and nothing else says how. */
export async function testCommand(workdir: string): Promise<TestCommand | null> {
  const guide = await readText(workdir, TEST_GUIDE);
  const command = guide ? readGuide(guide.text).test : null;
  if (command) return { command, from: TEST_GUIDE };
  for (const [file, commandIn] of MANIFESTS) {
    const manifest = await readText(workdir, file);
    const found = manifest && commandIn(manifest.text);
    if (found) return { command: found, from: file };
  }
  return null;
}
