// Folders that are full of files nobody wrote here: searched only when a pattern or path names them.

export const SKIPPED: readonly string[] = [
  ...[
    '.git',
    'node_modules',
    '.venv',
    'venv',
    '__pycache__',
    '.tox',
    '.mypy_cache',
    '.pytest_cache',
  ],
  ...['.next', '.nuxt', '.turbo', '.gradle', 'Pods', '.dart_tool'],
];

/** Those that these words do not name. */
export const skippedBut = (...named: (string | null | undefined)[]): string[] =>
  SKIPPED.filter((name) => !named.some((words) => words?.split(/[/{},*]/).includes(name)));
