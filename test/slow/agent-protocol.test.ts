// The table in docs/agent-protocol.md is what the conformance program finds, at every address, with a key and without.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Check, runChecks } from '../../scripts/agent-protocol.ts';

const written = JSON.parse(readFileSync('docs/agent-protocol.json', 'utf8')) as Check[];

it('the page says of every check what it gives at the root with a key', {
  timeout: 300_000,
}, async () => {
  const { checks, notPassed } = await runChecks({ path: '', key: 'a-key' });
  expect(checks, notPassed.join('\n')).toEqual(written);
});

it.each(['', '/roles/planner'])(
  'nothing that clients need fails at "%s" without a key',
  {
    timeout: 300_000,
  },
  async (path) => {
    const { checks, notPassed } = await runChecks({ path, levels: 'core,sdk' });
    const failed = checks.filter(({ verdict }) => verdict === 'FAIL');
    expect(failed, notPassed.join('\n')).toEqual([]);
    expect(checks.length).toBe(
      written.filter(({ level }) => ['core', 'sdk'].includes(level)).length,
    );
  },
);
