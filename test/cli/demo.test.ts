import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.ts';

const DEMO_MS = 180_000;

function demo(
  args: string[],
  folder: string = tempFolder(),
): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/demo.ts', ...args], {
    // Whatever runs on this machine: the demo never asks for a model.
    env: {
      ...process.env,
      OPENAI_API_KEY: 'sk-not-to-be-used',
      TROUPE_MODEL: 'openai:none',
      TMPDIR: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}

it.each([
  ['en', 'offline rules – no AI model was used'],
  ['ko', '오프라인 규칙 – AI 모델을 사용하지 않았습니다'],
  ['zh', '离线规则 – 未使用 AI 模型'],
])(
  'runs the demo in %s: servers come up, files are made, nothing is left',
  { timeout: DEMO_MS },
  async (lang, label) => {
    const folder = tempFolder();
    const { code, out } = await demo(['--lang', lang], folder);
    expect(out).not.toMatch(/^✗/m);
    expect(code).toBe(0);
    expect(out).toContain(label);
    expect(out).toMatch(/server +spawned +pid \d+/);
    expect(out).toMatch(/server +ready +pid \d+ port \d+ after \d+ ms/);
    expect(out).toMatch(/README\.md +\d/);
    expect(out).toMatch(/✓ (?:[3-9]|10) role servers came up/);
    expect(out).toContain('✓ no process is left');
    // tsx keeps its own cache there
    const left = readdirSync(folder).filter((name) => !name.startsWith('tsx-'));
    expect(left).toEqual([]);
  },
);

it('refuses a language that it has no request for', async () => {
  const { code, out } = await demo(['--lang', 'xx']);
  expect(code).toBe(2);
  expect(out).toContain('en, ko, zh');
});
