// What the write-ahead log of a crashed main holds beyond its last whole transaction. SQLite drops that without a
// word: a write that was cut off is nothing to worry about, but damage to the log looks the same. Reads only.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';

const HEADER = 32;
const FRAME_HEADER = 24;

function read(file: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  return buffer.subarray(0, readSync(file, buffer, 0, bytes, at));
}

/** Pages behind the first `whole` ones. Those of an older generation of the log carry other salts and do not count. */
function framesBehind(path: string, whole: number): number {
  const size = statSync(path).size;
  const file = openSync(path, 'r');
  try {
    const header = read(file, 0, HEADER);
    const page = header.readUInt32BE(8);
    // No whole page at all: the head of the log itself is damaged, and says nothing.
    if (whole === 0 || page < 512 || page > 65_536) return 1;
    const salts = header.subarray(16, 24);
    const step = FRAME_HEADER + page;
    let frames = 0;
    for (let at = HEADER + whole * step; at + FRAME_HEADER <= size; at += step)
      if (read(file, at, FRAME_HEADER).subarray(8, 16).equals(salts)) frames += 1;
    return frames;
  } finally {
    closeSync(file);
  }
}

/** Pages that are there and do not count. Call when the database was opened and nothing is written yet. */
export function framesLost(db: Sqlite.Database): number {
  const path = `${db.name}-wal`;
  try {
    if (statSync(path).size <= HEADER) return 0;
    const [row] = db.pragma('wal_checkpoint(PASSIVE)') as { log: number }[];
    return framesBehind(path, Math.max(0, row?.log ?? 0));
  } catch {
    // Only for a line in the log: never a reason not to start.
    return 0;
  }
}
