// The table of what the conformance program found, from the file that its last run has written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../agent-protocol.ts';
import { table } from './blocks.ts';

const LEVELS: Record<string, string> = {
  core: 'what the async subagents of deepagents need',
  sdk: 'what the public surface of the LangGraph SDK promises',
  better: 'what servers of this kind often lack',
  ap: 'the plain routes of the published protocol',
  v2: 'the thread-centric protocol',
};

export function conformanceTable(root: string): string {
  const text = readFileSync(join(root, 'docs/agent-protocol.json'), 'utf8');
  const checks = JSON.parse(text) as Check[];
  const count = (level: string, verdict: Check['verdict']): string =>
    String(checks.filter((c) => c.level === level && c.verdict === verdict).length);
  const sums = Object.entries(LEVELS).map(([level, what]) => [
    level,
    what,
    count(level, 'PASS'),
    count(level, 'FAIL'),
    count(level, 'SKIP'),
  ]);
  const rows = checks.map(({ level, name, verdict }) => [level, name, verdict.toLowerCase()]);
  return [
    table(['level', 'what it holds', 'pass', 'fail', 'skip'], sums),
    table(['level', 'check', 'verdict'], rows),
  ].join('\n\n');
}
