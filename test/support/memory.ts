// How much memory a server holds when its garbage is collected: what it needs, not what it has not thrown away yet.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import type { Server } from './server.ts';
import { until } from './until.ts';

/** For the environment of the server whose memory is asked for. */
export const MEASURED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

/** Bytes in memory (RSS) after a full collection. */
export async function settledBytes(server: Server): Promise<number> {
  const debugger_at = /Debugger listening on (ws:\S+)/;
  const url = await until(() => debugger_at.exec(server.output())?.[1], 5_000, 'the debugger');
  const socket = new WebSocket(url);
  await once(socket, 'open');
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await once(socket, 'message');
  socket.terminate();
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
