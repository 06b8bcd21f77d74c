// The programs that stand in for a role server.
import { join } from 'node:path';

export const fixture = (name: string): string =>
  join(import.meta.dirname, '../fixtures/children', `${name}.cjs`);
