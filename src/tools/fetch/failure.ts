// What went wrong on the way to a page, as a sentence that tells an agent what to do about it. Pure.
import { AppError } from '../../domain/errors.ts';

const SENTENCES: Record<string, string> = {
  ENOTFOUND: 'this host name does not exist',
  ENODATA: 'this host name has no address',
  EAI_AGAIN: 'no name server answered for this host; the network may be down or closed',
  ECONNREFUSED: 'nothing listens at this address and port',
  ECONNRESET: 'the server closed the connection',
  EPIPE: 'the server closed the connection',
  ETIMEDOUT: 'the server did not answer',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the host cannot be reached from here',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are larger than 16 KiB',
  EPROTO: 'the server does not speak TLS at this port',
};

export function fetchFailure(error: unknown, at: string, deadline_ms: number): string {
  if (error instanceof AppError) return error.message;
  const { code = '', name = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const where = `${at.slice(0, 300)}: `;
  const known = SENTENCES[code];
  if (known !== undefined) return where + known;
  if (name === 'TimeoutError') return `${where}no complete answer within ${deadline_ms / 1000} s`;
  if (/^ERR_SSL|^ERR_TLS_(?!CERT)/.test(code)) return where + SENTENCES.EPROTO;
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code))
    return `${where}the certificate of the server is not valid here (${code})`;
  if (code.startsWith('HPE_')) return `${where}the answer is not valid HTTP (${code})`;
  if (/^Z_|^ERR__ERROR|BROTLI|^ERR_PADDING/.test(code))
    return `${where}the compressed answer is broken (${code})`;
  return where + (message || String(error));
}
