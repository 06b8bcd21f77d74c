// The environment of tool commands: a short list, so that no key of the server can reach them.
import { dirname, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

const PASSED = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** `own`: the environment of this process, of which only a few names are passed on. */
export function commandEnvironment(
  own: Environment,
  markers: Readonly<Record<string, string>>,
  workdir: string,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of PASSED) {
    const value = own[name];
    if (value) passed[name] = value;
  }
  return {
    LANG: 'C.UTF-8',
    PATH: `${SYSTEM_PATH}:${dirname(process.execPath)}`,
    ...passed,
    HOME: join(workdir, '.troupe', 'home'),
    TERM: 'dumb',
    NO_COLOR: '1',
    PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    ...markers,
  };
}
