// The upkeep behind the HTTP surface: says that it was asked, and removes nothing.
import { noRows } from '../../src/domain/retention.ts';
import type { Services } from '../../src/http/services.ts';

type Note = (name: string, ...args: unknown[]) => unknown;

export const fakeUpkeep = (noteCall: Note, at: () => string): Services['upkeep'] => ({
  async gc({ older_than_s, dry_run }) {
    noteCall('gc', older_than_s, dry_run);
    const rows = noRows();
    const workdirs = { removed: 0, kept: 0, bytes: 0 };
    const logs = { removed: 0, bytes: 0 };
    return { dry_run, before: at(), more: false, rows, workdirs, logs, first_kept_seq: 1 };
  },
  backups: {
    async make(path) {
      noteCall('backup', path);
      return { path, state: 'done', bytes: 4096, duration_ms: 3, error: null };
    },
    last: () => null,
  },
});
