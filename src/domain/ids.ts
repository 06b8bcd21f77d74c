// Identifiers. Ids are never shortened anywhere: not in the API, not in tool results, not in logs.
import { randomBytes, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let lastMs = 0;
let counter = 0;

// Random bytes are drawn in blocks: a call to the system for each id is most of what an id costs.
const BLOCK = 4096;
let block = randomBytes(BLOCK);
let used = 0;
function random(bytes: number): Buffer {
  if (used + bytes > BLOCK) {
    block = randomBytes(BLOCK);
    used = 0;
  }
  used += bytes;
  return Buffer.from(block.subarray(used - bytes, used));
}

/** UUIDv7 (RFC 9562): 48 bits of milliseconds, then a counter so that ids of one process sort by creation. */
export function uuidv7(now: number = Date.now()): string {
  if (now > lastMs) {
    lastMs = now;
    counter = random(2).readUInt16BE(0) & 0x07ff;
  } else counter += 1;
  if (counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const bytes = random(16);
  bytes.writeUIntBE(lastMs, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const isUuid = (text: string): boolean => UUID.test(text);

const hex12 = (): string => random(6).toString('hex');
/** `sa_` + 12 hex: a row of subagent_records. */
export const newAgentId = (): string => `sa_${hex12()}`;
/** `loop_` + 12 hex: a row of loop_runs. */
export const newLoopId = (): string => `loop_${hex12()}`;
/** `mem_` + 12 hex: a row of memory_records. */
export const newRecordId = (): string => `mem_${hex12()}`;
/** 256 random bits as hex: bearer tokens and nonces. */
export const newToken = (): string => randomBytes(32).toString('hex');
export const newRequestId = (): string => randomUUID();
