// A role at work: does the part of a recipe that its task names, or what the task says in words that rules know.
import { REMEMBER } from '../../domain/proposal.ts';
import { detectLanguage } from '../../language/detect.ts';
import type { Language } from '../../language/lexicon.ts';
import { type Action, BY_ROLE } from './action.ts';
import { review } from './inspect.ts';
import { LABEL } from './label.ts';
import { perform } from './perform.ts';
import { planOf, type Stage } from './plan.ts';
import type { Part, Topic } from './recipe.ts';
import { remember } from './remember.ts';
import { answerText, type Report } from './report.ts';
import { runCommand } from './run-command.ts';
import { say } from './say.ts';
import type { Script } from './script.ts';
import { marked } from './topic.ts';
import { writeFiles } from './write-files.ts';

/** Reviews and commands whose output is the result: it is shown even when all is well. */
const SHOWS_OUTPUT = new Set(['csv-summary', 'snippet']);

function* buildPart(part: Part, topic: Topic): Script<Report> {
  if (part.id === 'review') return yield* review(topic.language);
  const wrote = yield* writeFiles(part.files(topic), topic.language);
  const command = part.check(topic);
  if (command === null || !wrote.ok) return wrote;
  const ran = yield* runCommand(command, topic.language, !SHOWS_OUTPUT.has(topic.recipe));
  return { ok: ran.ok, text: `${wrote.text}\n${ran.text}`, files: wrote.files };
}

function* doStage(stage: Stage, language: Language): Script<Report> {
  const { work } = stage;
  if (work.kind === 'action') return yield* perform(work.action, work.request, language);
  const part = work.build.parts.find((p) => p.id === work.part);
  return part
    ? yield* buildPart(part, work.build.topic)
    : { ok: false, text: work.part, files: [] };
}

export const declined = (language: Language): string =>
  `${LABEL[language]}\n\n${say(language).decline}\n\n${say(language).howTo}`;

/** Does all stages of a request itself, one after the other. */
export function* doAll(request: string, fallback: Action | null): Script {
  const { language, stages, open } = planOf(request);
  const s = say(language);
  if (stages.length === 0) {
    if (fallback === null) return declined(language);
    return answerText(language, yield* perform(fallback, request, language));
  }
  const reports: Report[] = [];
  const failed = new Set<number>();
  for (const [i, stage] of stages.entries()) {
    if (stage.after.some((j) => failed.has(j))) {
      failed.add(i);
      continue;
    }
    const report = yield* doStage(stage, language);
    if (!report.ok) failed.add(i);
    reports.push(report);
  }
  const text = reports.map((r) => r.text);
  if (open.length > 0)
    text.push(`${s.notDone}\n${open.map((o) => `- ${o}`).join('\n')}\n${s.howTo}`);
  const files = [...new Set(reports.flatMap((r) => r.files))];
  return answerText(language, { ok: failed.size === 0, text: text.join('\n\n'), files });
}

/** What `role` does with the text of its task. */
export function* roleScript(role: string, task: string): Script {
  // It is told what the work was about: that is not what it is asked to do.
  if (role === REMEMBER)
    return answerText(detectLanguage(task), yield* remember(detectLanguage(task)));
  const part = marked(task);
  if (part) return answerText(part.topic.language, yield* buildPart(part.part, part.topic));
  return yield* doAll(task, BY_ROLE[role] ?? null);
}

export const languageOfTask = (task: string): Language =>
  marked(task)?.topic.language ?? detectLanguage(task);
