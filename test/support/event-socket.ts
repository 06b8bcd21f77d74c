// A reader of the WebSocket /v1/ws with one subscription, `s`: what came, and how it ended.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export type SocketMessage = {
  type: string;
  id?: string;
  seq?: number;
  prev_seq?: number;
  [key: string]: unknown;
};
export type EventSocket = {
  socket: WebSocket;
  messages: SocketMessage[];
  /** Sequence numbers seen, in order. */
  seqs(): number[];
  /** The close code. */
  closed: Promise<number>;
};

/** Subscribes to all events after a sequence. The caller ends it. */
export async function openSocket(url: string, after: number | 'latest'): Promise<EventSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/ws`, ['troupe.v1']);
  const messages: SocketMessage[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(data.toString()) as SocketMessage));
  const closed = new Promise<number>((resolve) => socket.on('close', (code) => resolve(code)));
  await once(socket, 'open');
  // A cut connection shows in `closed`.
  socket.on('error', () => {});
  socket.send(JSON.stringify({ type: 'subscribe', id: 's', after }));
  return {
    ...{ socket, messages, closed },
    seqs: () => messages.flatMap(({ type, seq }) => (type === 'event' && seq ? [seq] : [])),
  };
}
