// Bodies of model servers, sent in pieces: so many bytes at a time, cut in two at one byte, broken off, or never ended.
import type { ServerResponse } from 'node:http';
import type { Script } from '../support/upstream.ts';

const start = (response: ServerResponse, type: string): void => {
  response.writeHead(200, { 'content-type': type });
};
const turn = () => new Promise((next) => setImmediate(next));

export type Body = { type: string; bytes: Buffer };

/** `size` bytes a piece. */
export const inPieces =
  ({ type, bytes }: Body, size = 1 << 20): Script =>
  async (response) => {
    start(response, type);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await turn();
    }
    response.end();
  };

/** The same after a pause that a model takes to read a long conversation. */
export const late =
  (body: Body): Script =>
  (response) =>
    new Promise((done) => {
      start(response, body.type);
      response.flushHeaders();
      setTimeout(() => {
        response.end(body.bytes);
        done();
      }, 400);
      response.once('close', done);
    });

/** Two pieces, the cut before byte `at`. */
export const cutInTwo =
  ({ type, bytes }: Body, at: number): Script =>
  async (response) => {
    start(response, type);
    response.write(bytes.subarray(0, at));
    await turn();
    response.end(bytes.subarray(at));
  };

/** Sends what is there and breaks the connection. */
export const breakOff =
  ({ type, bytes }: Body): Script =>
  (response) => {
    start(response, type);
    response.write(bytes, () => response.destroy());
  };

/** Sends what is there, then nothing, for ever. */
export const hang =
  ({ type, bytes }: Body): Script =>
  (response) => {
    start(response, type);
    response.flushHeaders();
    if (bytes.length > 0) response.write(bytes);
  };
