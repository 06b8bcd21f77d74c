// What a program did to its files, from a trace of its system calls; and what a disk may hold at any moment of it.
import { readFileSync } from 'node:fs';

export type DiskCall =
  | { op: 'write'; path: string; at: number; bytes: Buffer }
  | { op: 'cut'; path: string; length: number }
  | { op: 'remove'; path: string }
  | { op: 'sync'; path: string }
  /** The program told the world, on its standard output. */
  | { op: 'said'; text: string };

/** For strace: every byte of every string, as hexadecimal. */
export const STRACE = [
  ...['-f', '-qq', '-xx', '-s', '200000', '--seccomp-bpf', '-e', 'signal=none'],
  ...['-e', 'trace=openat,close,pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat'],
];

const bytesOf = (text: string): Buffer => Buffer.from(text.replaceAll('\\x', ''), 'hex');

/** Whole calls in the order in which they ended; strace cuts in two what another thread interrupts. */
function* wholeLines(trace: string): Generator<string> {
  const begun = new Map<string, string>();
  for (const line of trace.split('\n')) {
    const [, pid = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const cut = text.indexOf(' <unfinished ...>');
    if (cut >= 0) begun.set(pid, text.slice(0, cut));
    else yield text.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(pid) ?? '');
  }
}

/** The calls on files of one folder, and what was said. */
export function readTrace(file: string, folder: string): DiskCall[] {
  const open = new Map<number, string>();
  const calls: DiskCall[] = [];
  const act: Record<string, (args: string, result: number) => void> = {
    openat(args, result) {
      const path = bytesOf(/"([^"]*)"/.exec(args)?.[1] ?? '').toString();
      if (result >= 0 && path.startsWith(folder)) open.set(result, path);
      else open.delete(result);
    },
    close: (args) => void open.delete(Number(args)),
    pwrite64(args, result) {
      const [, fd, text = '', at] = /^(\d+), "([^"]*)"(?:\.\.\.)?, \d+, (\d+)/.exec(args) ?? [];
      const path = open.get(Number(fd));
      if (path && result > 0)
        calls.push({ op: 'write', path, at: Number(at), bytes: bytesOf(text).subarray(0, result) });
    },
    write(args) {
      const [, text] = /^1, "([^"]*)"/.exec(args) ?? [];
      if (text !== undefined) calls.push({ op: 'said', text: bytesOf(text).toString() });
    },
    fsync: sync,
    fdatasync: sync,
    ftruncate(args) {
      const [fd = '', length] = args.split(', ');
      const path = open.get(Number(fd));
      if (path) calls.push({ op: 'cut', path, length: Number(length) });
    },
    unlink(args, result) {
      const path = bytesOf(/"([^"]*)"/.exec(args)?.[1] ?? '').toString();
      if (result === 0 && path.startsWith(folder)) calls.push({ op: 'remove', path });
    },
  };
  function sync(args: string): void {
    const path = open.get(Number(args));
    if (path) calls.push({ op: 'sync', path });
  }
  for (const line of wholeLines(readFileSync(file, 'latin1'))) {
    const [, name = '', args = '', result] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(line) ?? [];
    act[name]?.(args, Number(result));
  }
  return calls;
}

function apply(held: Buffer, call: DiskCall): Buffer {
  if (call.op === 'cut')
    return Buffer.concat([
      held.subarray(0, call.length),
      Buffer.alloc(Math.max(0, call.length - held.length)),
    ]);
  if (call.op !== 'write') return held;
  const end = call.at + call.bytes.length;
  const out = held.length < end ? Buffer.concat([held, Buffer.alloc(end - held.length)]) : held;
  call.bytes.copy(out, call.at);
  return out;
}

/** What became of a write that no sync has followed: all of it, nothing, or a part (bytes from its beginning). */
export type Fate = (write: { bytes: number }, index: number, of: number) => 'all' | 'none' | number;

/** The files as a disk may hold them when the power goes after the first `count` calls. */
export function diskAfter(
  calls: readonly DiskCall[],
  count: number,
  fate: Fate,
): Map<string, Buffer> {
  const safe = new Map<string, Buffer>();
  const loose = new Map<string, DiskCall[]>();
  const settle = (path: string, some: readonly DiskCall[]): void => {
    for (const call of some) safe.set(path, apply(safe.get(path) ?? Buffer.alloc(0), call));
  };
  for (const call of calls.slice(0, count)) {
    if (call.op === 'said') continue;
    if (call.op === 'remove') {
      safe.delete(call.path);
      loose.delete(call.path);
    } else if (call.op === 'sync') {
      settle(call.path, loose.get(call.path) ?? []);
      loose.delete(call.path);
    } else loose.set(call.path, [...(loose.get(call.path) ?? []), call]);
  }
  for (const [path, left] of loose) {
    safe.set(path, safe.get(path) ?? Buffer.alloc(0));
    left.forEach((call, index) => {
      const how =
        call.op === 'write' ? fate({ bytes: call.bytes.length }, index, left.length) : 'all';
      if (how === 'none') return;
      if (how === 'all' || call.op !== 'write') settle(path, [call]);
      else settle(path, [{ ...call, bytes: call.bytes.subarray(0, how) }]);
    });
  }
  return safe;
}
