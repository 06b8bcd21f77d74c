// The main agent's prompt: {{roles}} becomes the list of roles it may start, {{role:NAME}} one name. Says when the
// prompt and the registry disagree about names; never changes the registry.
import type { Role } from '../domain/role.ts';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';

const LIST = '{{roles}}';
const MARK = /\{\{role:([^}]*)\}\}/g;
/** A role named as an argument, in text that users add: subagent_type="planner". */
const ARGUMENT = /subagent_type["'`]?\s*[:=]\s*["'`]([^"'`\s]+)["'`]/g;

export type PromptPart = { file: string; line: number | null; text: string };

export function renderPrompt(
  parts: readonly PromptPart[],
  roles: readonly Role[],
  mayStart: readonly string[],
): string {
  const list = roles
    .filter((r) => mayStart.includes(r.name))
    .map((r) => `- \`${r.name}\`: ${r.description}`)
    .join('\n');
  return parts
    .map(({ text }) =>
      text
        .trim()
        .replaceAll(LIST, () => list)
        .replace(MARK, (_, name: string) => `\`${name}\``),
    )
    .join('\n\n');
}

/** Names in the prompt that are not registered, that may not be started, and registered ones it does not name. */
export function disagreements(
  parts: readonly PromptPart[],
  roles: readonly Role[],
  mayStart: readonly string[],
): Problem[] {
  const names = roles.map((r) => r.name);
  const mentioned = new Set<string>();
  const found: Problem[] = [];
  for (const { file, line, text } of parts)
    for (const name of [...text.matchAll(MARK), ...text.matchAll(ARGUMENT)].map(
      (m) => m[1] ?? '',
    )) {
      if (mentioned.has(name)) continue;
      mentioned.add(name);
      const at = { file, line, key: 'main agent prompt' };
      const hint = nearest(name, names);
      if (!names.includes(name))
        found.push({
          ...at,
          found: `the role "${name}", which is not registered`,
          allowed: names.join(', '),
          ...(hint ? { did_you_mean: `"${hint}"` } : {}),
        });
      else if (!mayStart.includes(name))
        found.push({
          ...at,
          found: `the role "${name}", which the main agent may not start`,
          allowed: mayStart.join(', ') || 'no role',
        });
    }
  if (parts.some((p) => p.text.includes(LIST))) return found;
  const silent = mayStart.filter((name) => !mentioned.has(name));
  const where = parts[0] ?? { file: 'prompt', line: null };
  if (silent.length > 0)
    found.push({
      file: where.file,
      line: where.line,
      key: 'main agent prompt',
      found: `no mention of ${silent.join(', ')}`,
      allowed: 'every role that the main agent may start, or {{roles}} for all',
    });
  return found;
}

/** `addition`: text that was added while the server runs, or null. */
export type MainPrompt = {
  text(addition: string | null): string;
  problems(addition: string | null): Problem[];
};

export function createMainPrompt(
  parts: readonly PromptPart[],
  roles: readonly Role[],
  mayStart: readonly string[],
): MainPrompt {
  const all = (addition: string | null): PromptPart[] =>
    addition === null ? [...parts] : [...parts, { file: 'override', line: null, text: addition }];
  return {
    text: (addition) => renderPrompt(all(addition), roles, mayStart),
    problems: (addition) => disagreements(all(addition), roles, mayStart),
  };
}
