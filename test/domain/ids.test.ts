import { expect, it } from 'vitest';
import { isUuid, newAgentId, newToken, uuidv7 } from '../../src/domain/ids.ts';

it('makes UUIDv7 ids that sort by creation, also within a millisecond', () => {
  const ids = Array.from({ length: 20_000 }, () => uuidv7());
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every(isUuid)).toBe(true);
  expect(ids.every((id) => id[14] === '7' && '89ab'.includes(id[19] as string))).toBe(true);
});

it('keeps ids in order when the wall clock jumps back', () => {
  const later = uuidv7(Date.now() + 60_000);
  expect(uuidv7() > later).toBe(true);
});

it('gives agents sa_ and 12 hex digits, tokens 256 bits', () => {
  expect(newAgentId()).toMatch(/^sa_[0-9a-f]{12}$/);
  expect(newToken()).toMatch(/^[0-9a-f]{64}$/);
});
