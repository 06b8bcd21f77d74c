// Cuts a request into stages: what each one does, which role does it and what it has to wait for. Pure.
import { detectLanguage } from '../../language/detect.ts';
import type { Language } from '../../language/lexicon.ts';
import { splitRequest, splitSentences } from '../../language/split.ts';
import { type Action, actionOf } from './action.ts';
import { slotsOf } from './slots.ts';
import { type Build, buildOf, mark } from './topic.ts';

export type Work =
  | { kind: 'build'; build: Build; part: string }
  | { kind: 'action'; action: Action; request: string };
export type Stage = {
  role: string;
  work: Work;
  /** For the role: stands alone. */
  description: string;
  /** Positions of the stages that must have succeeded before. */
  after: number[];
};
export type Plan = {
  language: Language;
  stages: Stage[];
  /** Parts of the request that rules cannot do, in its words. */
  open: string[];
};

/** What only adds to the thing that the step before builds. */
const ADDS =
  /\btests?\b|\breadme\b|\bdocs?\b|\breview\b|\bplan\b|테스트|문서|리드미|검토|리뷰|계획|测试|測試|文档|说明|审查|審查|计划/i;

type Step = { text: string; ordered: boolean };

function stepsOf(request: string): Step[] {
  const whole = splitRequest(request);
  if (whole.how === 'list') return whole.parts.map((text) => ({ text, ordered: false }));
  return splitSentences(request).flatMap((sentence) => {
    const { how, parts } = splitRequest(sentence);
    return parts.map((text, i) => ({ text, ordered: how === 'sequence' && i > 0 }));
  });
}

const REQUEST_IS = { en: 'The whole request', ko: '전체 요청', zh: '完整请求' };

function addBuild(stages: Stage[], build: Build, request: string, ordered: boolean): void {
  const first = stages.length;
  const ids = build.parts.map((p) => p.id);
  const before = ordered && first > 0 ? [first - 1] : [];
  for (const part of build.parts) {
    const { topic } = build;
    const quoted = `${REQUEST_IS[topic.language]}: ${request}`;
    stages.push({
      role: part.role,
      work: { kind: 'build', build, part: part.id },
      description: `${part.task(topic)}\n\n${quoted}${mark(topic, part)}`,
      after: [
        ...before,
        ...part.after.flatMap((id) => (ids.includes(id) ? [first + ids.indexOf(id)] : [])),
      ],
    });
  }
}

/** Files that a stage names or makes. */
function touched({ work, description }: Stage): string[] {
  if (work.kind === 'action') return slotsOf(description).paths;
  const { topic, recipe } = work.build;
  const part = recipe.parts.find((p) => p.id === work.part);
  return part?.files(topic).map((f) => f.path) ?? [];
}

function addAction(stages: Stage[], step: Step, found: { role: string; action: Action }): void {
  const stage: Stage = {
    role: found.role,
    work: { kind: 'action', action: found.action, request: step.text },
    description: step.text,
    after: [],
  };
  const mine = touched(stage);
  // Looks at everything: it comes after everything that is made.
  const all = ['review', 'debug', 'tests', 'readme', 'summary', 'list', 'remember', 'find'];
  stage.after = stages.flatMap((other, i) => {
    const waits =
      (step.ordered && i === stages.length - 1) ||
      all.includes(found.action.do) ||
      touched(other).some((path) => mine.includes(path));
    return waits ? [i] : [];
  });
  stages.push(stage);
}

/** `request`: what a person wrote. Roles that only name a kind of work fall back to `byRole`. */
export function planOf(request: string): Plan {
  const plan: Plan = { language: detectLanguage(request), stages: [], open: [] };
  const steps = stepsOf(request);
  let added: { build: Build; text: string; ordered: boolean } | null = null;
  const settle = () => {
    if (added) {
      const whole = buildOf(added.build.topic.language === plan.language ? added.text : request);
      addBuild(plan.stages, whole ?? added.build, request, added.ordered);
      plan.open.push(...(whole ?? added.build).undone);
    }
    added = null;
  };
  for (const step of steps) {
    const build = buildOf(step.text);
    const found = build ? null : actionOf(step.text);
    const exact = found && slotsOf(step.text).paths.some((p) => !/^readme\.md$/i.test(p));
    if (added && !build && !exact && ADDS.test(step.text)) {
      added = { ...(added as { build: Build; text: string; ordered: boolean }) };
      added.text += `\n${step.text}`;
      continue;
    }
    settle();
    if (build) added = { build, text: step.text, ordered: step.ordered };
    else if (found) addAction(plan.stages, step, found);
    else plan.open.push(step.text);
  }
  settle();
  return plan;
}
