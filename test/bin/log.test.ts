import { expect, it } from 'vitest';
import { createMask } from '../../src/bin/log.ts';
import { lineForPeople } from '../../src/bin/log-line.ts';

const at = (fields: object): string =>
  JSON.stringify({ level: 'warn', time: '2026-01-01T12:00:00.000Z', ...fields });

it('tells a person what happened, where and why, in one line without ids', () => {
  const line = lineForPeople(
    at({
      ...{ seq: 7, kind: 'subagent', state: 'failed', query_id: 'q', task_id: 't', role: 'coder' },
      ...{ agent_id: 'sa_1', pid: 4242, reason: 'no\nanswer', msg: 'coder agent #1 failed' },
    }),
  );
  expect(line).toMatch(/^\d\d:\d\d:\d\d warn {2}coder agent #1 failed {2}pid: 4242 {2}reason: /);
  expect(line.trimEnd().split('\n')).toHaveLength(1);
  expect(line).not.toMatch(/sa_1|seq|query_id/);
});

it('shows the message of an error, and no escape sequence of anybody', () => {
  const err = { type: 'Error', message: 'disk \u001b[31mfull', stack: 'at x' };
  const line = lineForPeople(at({ err, msg: 'could not store' }));
  expect(line).toContain('could not store  err: disk');
  expect(line).not.toContain('\u001b');
});

it('passes on what is not a line of its own', () => {
  expect(lineForPeople('plain text\n')).toBe('plain text\n');
});

it('masks a secret as it is, inside JSON, and what looks like one', () => {
  const mask = createMask(['pass"word\\1', 'tiny']);
  const line = mask(
    JSON.stringify({ a: 'x pass"word\\1 y', b: 'tiny', c: `sk-${'a'.repeat(20)}` }),
  );
  expect(JSON.parse(line)).toEqual({ a: 'x [secret] y', b: 'tiny', c: '[secret]' });
  expect(mask('pass"word\\1')).toBe('[secret]');
});

it('masks keys of well-known kinds and private keys, however many begin', () => {
  const mask = createMask([]);
  const key = (start: string) => `${start}${'Ab3'.repeat(8)}`;
  for (const start of ['ghp_', 'github_pat_', 'glpat-', 'xoxb-', 'AIza', 'npm_'])
    expect(mask(`key=${key(start)};`)).toBe('key=[secret];');
  expect(mask('AKIAABCDEFGHIJKLMNOP')).toBe('[secret]');
  const pem = (text: string) => `-----BEGIN RSA PRIVATE KEY-----\n${text}\n${text}=\n-----END`;
  expect(mask(`a ${pem('MIIEabc+/')}`)).toBe('a [secret]\n-----END');
  const begun = performance.now();
  mask('-----BEGIN PRIVATE KEY-----\n'.repeat(20_000));
  expect(performance.now() - begun).toBeLessThan(2_000);
});
