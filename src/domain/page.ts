// Pages of rows, newest first.

export type Page<T> = { data: T[]; next_cursor: string | null };
/** `limit` 1 to 1,000; `cursor` as a page gave it. */
export type PageAsk = { limit: number; cursor: string | null };
