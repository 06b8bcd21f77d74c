// Makes branches of the parts of a request: at least two or none, at most as many as allowed, no part lost. Pure.
import { detectLanguage } from '../language/detect.ts';
import type { Language } from '../language/lexicon.ts';
import { chooseRole } from './choose-role.ts';
import { LEAST_BRANCHES } from './decide.ts';
import { collide, type Touched, touchedBy } from './paths.ts';
import { BRANCH_WORDS } from './words.ts';

export const FAN_OUT = 3;

export type PlanAsk = {
  request: string;
  parts: readonly string[];
  /** `sequential`: each part waits for the one before. */
  mode: 'parallel' | 'sequential';
  /** What is said beside the parts. */
  constraints: readonly string[];
  workdir: string;
  may_start: readonly string[];
  /** Most branches; a sequence is not cut by it. */
  fan_out?: number;
};

export type Branch = {
  /** From 0, in the order of the request. */
  index: number;
  goal: string;
  /** The parts of the request that it does, in their words: several when there were more than branches. */
  parts: string[];
  role: string;
  /** Goals of the others. */
  siblings: string[];
  constraints: string[];
  language: Language;
  workdir: string;
  /** Files that its parts name. */
  files: string[];
  /** Branches that must have ended before it starts. */
  after: number[];
  /** For the role: stands alone. */
  description: string;
};

export type Plan =
  | { ok: true; mode: 'parallel' | 'sequential'; branches: Branch[] }
  | { ok: false; reason: 'one_part' | 'no_role' | 'same_files'; detail: string };

/** As many groups as allowed, neighbours together, sizes that differ by one at most. */
function groupsOf(parts: readonly string[], most: number): string[][] {
  const count = Math.min(parts.length, most);
  return Array.from({ length: count }, (_, i) =>
    parts.slice(
      Math.floor((i * parts.length) / count),
      Math.floor(((i + 1) * parts.length) / count),
    ),
  );
}

const goalOf = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? '') : parts.map((part, i) => `${i + 1}. ${part}`).join('\n');

function describe(branch: Omit<Branch, 'description'>, request: string): string {
  const words = BRANCH_WORDS[branch.language];
  const listed = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}:\n${items.map((item) => `- ${item}`).join('\n')}`];
  return [
    `${words.goal}:\n${branch.goal}`,
    ...listed(words.constraints, branch.constraints),
    ...listed(words.siblings, branch.siblings),
    ...listed(words.files, branch.files),
    `${words.workdir}: ${branch.workdir}`,
    `${words.language} ${words.finding}`,
    `${words.whole}:\n${request}`,
  ].join('\n\n');
}

/** Branches that would write to the same place wait for each other, in the order of the request. */
function waitsOf(touched: readonly Touched[], mode: PlanAsk['mode']): number[][] {
  return touched.map((mine, i) => {
    if (mode === 'sequential') return i === 0 ? [] : [i - 1];
    return touched.slice(0, i).flatMap((other, at) => (collide(mine, other) ? [at] : []));
  });
}

const touchedByAll = (parts: readonly string[]): Touched => {
  const each = parts.map(touchedBy);
  return {
    paths: [...new Set(each.flatMap(({ paths }) => paths))],
    writes: each.some(({ writes }) => writes),
  };
};

export function planBranches(ask: PlanAsk): Plan {
  const { request, mode, workdir, may_start, fan_out = FAN_OUT } = ask;
  const parts = ask.parts.map((part) => part.trim()).filter((part) => part !== '');
  if (parts.length < LEAST_BRANCHES || (mode === 'parallel' && fan_out < LEAST_BRANCHES))
    return {
      ok: false,
      reason: 'one_part',
      detail: `${parts.length} parts, at most ${fan_out} branches`,
    };
  if (may_start.length === 0)
    return { ok: false, reason: 'no_role', detail: 'there is no role that may be started' };
  const groups = groupsOf(parts, mode === 'parallel' ? fan_out : parts.length);
  const touched = groups.map(touchedByAll);
  const waits = waitsOf(touched, mode);
  if (mode === 'parallel' && waits.slice(1).every((after) => after.length > 0)) {
    const files = touched.flatMap(({ paths }) => paths).slice(0, 5);
    return {
      ok: false,
      reason: 'same_files',
      detail: `every part changes what another does: ${files.join(', ')}`,
    };
  }
  const goals = groups.map(goalOf);
  const language = detectLanguage(request);
  const branches = groups.map((own, index): Branch => {
    const branch = {
      index,
      goal: goals[index] ?? '',
      parts: [...own],
      role: chooseRole(own.join('\n'), may_start) ?? '',
      siblings: goals.filter((_, i) => i !== index),
      constraints: [...ask.constraints],
      language,
      workdir,
      files: touched[index]?.paths ?? [],
      after: waits[index] ?? [],
    };
    return { ...branch, description: describe(branch, request) };
  });
  return { ok: true, mode, branches };
}
