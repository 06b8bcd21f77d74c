// Cursor pages: `limit` and `cursor` in, `next_cursor` and a Link header out.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Page, PageAsk } from '../domain/ports.ts';

export const PAGE_SIZE = 50;
const PAGE_MAX = 1_000;

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `Default ${PAGE_SIZE}` }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'next_cursor of the page before' }),
  ),
};

export const pageOf = (item: TSchema): TSchema =>
  Type.Object({
    data: Type.Array(item),
    next_cursor: Type.Union([Type.String(), Type.Null()], { description: 'null: the last page' }),
  });

export const askOf = (limit: number | undefined, cursor: string | undefined): PageAsk => ({
  limit: limit ?? PAGE_SIZE,
  cursor: cursor ?? null,
});
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };
/** Only the fields that were given: an absent filter is no key at all. */
export const given = <T extends object>(fields: T): Given<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;

/** Same path and filters, another position. Relative, so that it is right behind every proxy. */
export function linkNext(
  request: FastifyRequest,
  reply: FastifyReply,
  at: Record<string, string>,
): void {
  const [path, search] = request.url.split('?', 2);
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(at)) params.set(name, value);
  reply.header('link', `<${path}?${params}>; rel="next"`);
}

export function sendPage<T, V>(
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page<T>,
  view: (item: T) => V,
): { data: V[]; next_cursor: string | null } {
  if (page.next_cursor !== null) linkNext(request, reply, { cursor: page.next_cursor });
  return { data: page.data.map(view), next_cursor: page.next_cursor };
}
