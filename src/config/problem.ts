// One mistake in the configuration, and how all of them are shown together. Never prints a secret.
import { AppError } from '../domain/errors.ts';

export type Problem = {
  /** The file as shown to people, `environment` or `flags`. */
  file: string;
  /** Line in the file, from 1; null outside a file or when the whole file is meant. */
  line: number | null;
  /** Dotted key, `MAX_SUBAGENTS`, `--port`, or the table's name. */
  key: string;
  found: string;
  allowed: string;
  /** The nearest name that exists. */
  did_you_mean?: string;
};

export const place = ({ file, line }: Pick<Problem, 'file' | 'line'>): string =>
  line === null ? file : `${file}:${line}`;

export const sentence = (p: Problem): string =>
  `${p.key}: found ${p.found}; allowed: ${p.allowed}${p.did_you_mean ? ` (did you mean ${p.did_you_mean}?)` : ''}`;

/** All problems as text for a terminal: a headline, then three lines for each. */
export function formatProblems(problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const blocks = problems.map((p) => {
    const hint = p.did_you_mean ? `\n    did you mean ${p.did_you_mean}?` : '';
    return `  ${place(p)}  ${p.key}\n    found:   ${p.found}\n    allowed: ${p.allowed}${hint}`;
  });
  return `${count} in the configuration\n${blocks.join('\n')}`;
}

/** `errors[]` names place and sentence of each problem; `data.problems` holds their parts. */
export const configInvalid = (problems: readonly Problem[]): AppError =>
  new AppError('config_invalid', formatProblems(problems), {
    data: { problems },
    errors: problems.map((p) => ({ path: place(p), message: sentence(p) })),
  });
