// Everybody who reads a live stream (SSE or WebSocket). When the server closes each of them is told.

type ReaderKind = 'sse' | 'ws';

export function createReaders() {
  const open: Record<ReaderKind, Set<() => void>> = { sse: new Set(), ws: new Set() };
  let resyncs = 0;
  return {
    /** `farewell` says that the server goes and ends the stream. The answer forgets the reader. */
    add(kind: ReaderKind, farewell: () => void): () => void {
      open[kind].add(farewell);
      return () => open[kind].delete(farewell);
    },
    count: (kind: ReaderKind): number => open[kind].size,
    /** A reader was too slow and got `resync`. */
    noteResync: (): void => {
      resyncs += 1;
    },
    resyncs: (): number => resyncs,
    farewell(): void {
      for (const tell of [...open.sse, ...open.ws]) tell();
    },
  };
}
export type Readers = ReturnType<typeof createReaders>;
