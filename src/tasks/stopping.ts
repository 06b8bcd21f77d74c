// Under what nothing may start any more: tasks and queries that are being stopped, or everything at shutdown.

/** Ids of tasks and queries under which nothing may start any more. */
export type Stopping = {
  has(id: string): boolean;
  add(id: string): void;
  delete(id: string): void;
  close(): void;
  closed(): boolean;
};

export function createStopping(): Stopping {
  const counts = new Map<string, number>();
  let closed = false;
  return {
    has: (id) => counts.has(id),
    add: (id) => counts.set(id, (counts.get(id) ?? 0) + 1),
    delete(id) {
      const left = (counts.get(id) ?? 0) - 1;
      if (left > 0) counts.set(id, left);
      else counts.delete(id);
    },
    close() {
      closed = true;
    },
    closed: () => closed,
  };
}
