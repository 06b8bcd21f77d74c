// Which methods a path knows, so that a wrong method is 405 with Allow and not a puzzling 404.

/** `/v1/tasks/:task_id/files/*` as an expression over paths. */
const expression = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replace(/\*$/, '.*')}$`,
  );

export function createMethodTable() {
  const rows = new Map<string, { path: RegExp; methods: Set<string> }>();
  return {
    add(url: string, method: string | string[]): void {
      const row = rows.get(url) ?? { path: expression(url), methods: new Set<string>() };
      for (const one of [method].flat()) row.methods.add(one);
      rows.set(url, row);
    },
    /** Empty when nothing has this path. */
    allowed(path: string): string[] {
      const found = [...rows.values()].filter((row) => row.path.test(path));
      return [...new Set(found.flatMap((row) => [...row.methods]))].sort();
    },
  };
}
