// Starts the bare child as the product starts a role server, up to one authenticated 200 of /health.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { request } from 'undici';
import { newToken } from '../src/domain/ids.ts';
import { proof, type ReadyLine, WIRE_VERSION } from '../src/wire/protocol.ts';

/** A child that is not ready by then never will be. */
const READY_MS = 30_000;

export type BareChild = { pid: number; ready_ms: number; stop(): Promise<void> };

async function firstLine(stream: Readable): Promise<string> {
  const lines = createInterface({ input: stream });
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(READY_MS) })) as [string];
  lines.close();
  return line;
}

async function askHealth(port: number, nonce: string, server_token: string): Promise<void> {
  const challenge = newToken();
  const { statusCode, body } = await request(`http://127.0.0.1:${port}/health`, {
    headers: { authorization: `Bearer ${server_token}`, 'x-troupe-challenge': challenge },
  });
  const { nonce_proof } = (await body.json()) as { nonce_proof: string };
  if (statusCode !== 200 || nonce_proof !== proof(nonce, `health:${challenge}`))
    throw new Error(`the bare child answered ${statusCode} with a wrong proof`);
}

export async function startBareChild(): Promise<BareChild> {
  const since = performance.now();
  const [nonce, server_token] = [newToken(), newToken()];
  const child: ChildProcess = spawn(process.execPath, ['bench/floors/bare-child.cjs'], {
    ...{ detached: true, stdio: ['pipe', 'pipe', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH },
  });
  const [lifeline, out, err, ready] = child.stdio as unknown as [
    Writable,
    Readable,
    Readable,
    Readable,
  ];
  out.resume();
  err.resume();
  lifeline.write(`${JSON.stringify({ v: WIRE_VERSION, nonce, server_token })}\n`);
  const { port, pid, nonce_proof } = JSON.parse(await firstLine(ready)) as ReadyLine;
  if (nonce_proof !== proof(nonce, `ready:${pid}:${port}`)) throw new Error('wrong ready line');
  await askHealth(port, nonce, server_token);
  const ready_ms = performance.now() - since;
  return {
    ...{ pid, ready_ms },
    async stop() {
      const gone = once(child, 'exit');
      lifeline.end();
      await gone;
    },
  };
}
