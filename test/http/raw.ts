// Speaks to a port in bytes: what no HTTP client would send.
import { connect, type Socket } from 'node:net';

export type Raw = { socket: Socket; received(): string; closed: Promise<string> };

/** Sends `text` and collects what comes back until the server closes. */
export function rawRequest(port: number, text: string | Uint8Array): Raw {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const received = () => Buffer.concat(chunks).toString('latin1');
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(received()));
  });
  socket.write(text);
  return { socket, received, closed };
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
