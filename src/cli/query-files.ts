// The files of a query's workdir, as the API lists them and as a person reads them.
import { type Client, segment } from './client.ts';
import type { Terminal } from './terminal.ts';

export type QueryFile = { path: string; size: number };

export const listFiles = async (client: Client, query_id: string): Promise<QueryFile[]> =>
  (await client.get<{ data: QueryFile[] }>(`/v1/queries/${segment(query_id)}/files`)).data;

/** `src/a b.ts` as it stands in a URL: the slashes stay. */
export const filePath = (query_id: string, path: string): string =>
  `/v1/queries/${segment(query_id)}/files/${path.split('/').map(segment).join('/')}`;

export const sizeText = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

export const fileTable = (term: Terminal, files: QueryFile[]): void =>
  term.table(files, [
    { title: 'FILE', value: ({ path }) => path },
    { title: 'SIZE', value: ({ size }) => sizeText(size) },
  ]);
