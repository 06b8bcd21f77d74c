// The four stages of a feature: which may start now, and which is next. Decided from documents and tasks, never from
// what an agent says. Pure.
import type { SpecFile } from './paths.ts';

export const STAGES = [
  { name: 'requirements', role: 'Requirement', file: 'spec.md' },
  { name: 'design', role: 'DesignAgent', file: 'tech.md' },
  { name: 'plan', role: 'TaskPlan', file: 'plan.md' },
  { name: 'implementation', role: 'SubCoding', file: null },
] as const;
export type StageName = (typeof STAGES)[number]['name'];
export type DocState = { path: string; missing: boolean; findings: string[] };

export type SpecFacts = {
  docs: Record<SpecFile, DocState>;
  /** The one stage that the user has asked for; null: all of them. */
  only: StageName | null;
  /** Stages with a task at work. */
  open: StageName[];
  /** What failed since the user's last word. */
  failed: { stage: StageName; reason: string; times: number } | null;
  /** Boxes of plan.md that are not ticked. */
  boxes_left: number;
};

/** A coder may be started again so often after a failure; then the user decides. */
export const MOST_RETRIES = 2;

export const stageOfRole = (role: string): StageName | null =>
  STAGES.find((s) => s.role === role)?.name ?? null;

const label = (name: StageName): string => {
  const at = STAGES.findIndex((s) => s.name === name);
  return `stage ${at + 1} (${name}, ${STAGES[at]?.role})`;
};

/** A failed stage holds the workflow until the user has said how it goes on. */
export function pausedBy({ failed }: Pick<SpecFacts, 'failed'>): string | null {
  if (!failed) return null;
  const again = failed.stage === 'implementation' && failed.times <= MOST_RETRIES;
  return again ? null : `${label(failed.stage)} failed: ${failed.reason}`;
}

const inOrder = (doc: DocState): boolean => !doc.missing && doc.findings.length === 0;
const wrongWith = ({ path, missing, findings }: DocState): string =>
  missing ? `${path} is missing` : `${path} is not in order: ${findings.slice(0, 10).join('; ')}`;

/** Why this stage may not start; null: it may. */
export function refuseStage(stage: StageName, facts: SpecFacts): string | null {
  const paused = pausedBy(facts);
  if (paused)
    return `${paused}. The workflow is paused: report it and end your turn; it goes on here when the user says so`;
  if (facts.only && facts.only !== stage)
    return `the user asked for ${label(facts.only)} only; ${label(stage)} is not part of it`;
  if (facts.failed && facts.failed.stage !== stage)
    return `${label(facts.failed.stage)} failed: ${facts.failed.reason}; ${label(stage)} waits for it`;
  const other = facts.open.find((open) => open !== stage || stage !== 'implementation');
  if (other) return `${label(other)} is at work; wait for its result`;
  const at = STAGES.findIndex((s) => s.name === stage);
  for (const { name, file } of STAGES.slice(0, at)) {
    const doc = file && facts.docs[file];
    if (doc && !inOrder(doc))
      return `${label(stage)} needs the document of ${label(name)}, and ${wrongWith(doc)}`;
  }
  return null;
}

/** The stage to go on with; null: nothing is left of what was asked for. */
export function nextStage(facts: SpecFacts): { stage: StageName; why: string } | null {
  for (const { name, file } of STAGES) {
    if (facts.only && facts.only !== name) continue;
    const doc = file && facts.docs[file];
    if (doc && !inOrder(doc)) return { stage: name, why: wrongWith(doc) };
    if (!file && facts.boxes_left > 0)
      return { stage: name, why: `${facts.boxes_left} boxes of plan.md are open` };
  }
  return null;
}

const NOUNS: readonly [StageName, RegExp][] = [
  ['requirements', /\b(spec\.md|specs?|specification|requirements?)\b|요구\s?사항|명세|需求|规格/i],
  ['design', /\b(tech\.md|design|architecture)\b|설계|아키텍처|设计|架构/i],
  ['plan', /\b(plan\.md|task plan|plan)\b|계획|计划/i],
  [
    'implementation',
    /\b(implement(ation)?|implementing|code it|build it|coding)\b|구현|코딩|实现|编码/i,
  ],
];
const CHANGE =
  /\b(change|update|redo|revise|rework|adjust|rewrite|improve|repeat|only|just|again)\b|수정|변경|고쳐|다시|만\s|修改|更新|重做|改一下|只/i;
const MOST_CHARS = 400;

/** The one stage that a short request names ("change the design"); null: none, or several. */
export function askedStage(text: string): StageName | null {
  if (text.length > MOST_CHARS || !CHANGE.test(text)) return null;
  const named = NOUNS.filter(([, noun]) => noun.test(text)).map(([name]) => name);
  return named.length === 1 ? (named[0] ?? null) : null;
}
