// The documents of a feature or change as they are now: there or not, in order or not, their boxes.
import { type Box, boxesOf } from '../../workflows/boxes.ts';
import { type Finding, printed } from '../../workflows/document.ts';
import {
  CHANGES_DIR,
  changePath,
  SPEC_DIR,
  type SpecFile,
  specPath,
} from '../../workflows/paths.ts';
import { lintPlan } from '../../workflows/plan.ts';
import { lintTasks, readProposal } from '../../workflows/proposal.ts';
import { readSpec } from '../../workflows/spec.ts';
import type { DocState } from '../../workflows/strict-spec.ts';
import { lintTech } from '../../workflows/tech.ts';
import { foldersIn, readText } from './files.ts';

export type Feature = { docs: Record<SpecFile, DocState>; boxes: Box[] };
export type Change = { proposal: DocState; tasks: DocState; boxes: Box[] };

const stateOf = (
  path: string,
  text: string | undefined,
  lint: (text: string) => Finding[],
): DocState =>
  text === undefined
    ? { path, missing: true, findings: [] }
    : { path, missing: false, findings: printed(path, lint(text)) };

export async function readFeature(workdir: string, feature: string): Promise<Feature> {
  const path = (file: SpecFile): string => specPath(feature, file);
  const text = async (file: SpecFile) => (await readText(workdir, path(file)))?.text;
  const [spec, tech, plan] = [await text('spec.md'), await text('tech.md'), await text('plan.md')];
  const read = readSpec(spec ?? '', feature);
  const { requirements } = read.spec;
  return {
    docs: {
      'spec.md': stateOf(path('spec.md'), spec, () => read.findings),
      'tech.md': stateOf(path('tech.md'), tech, (t) => lintTech(t, feature, requirements)),
      'plan.md': stateOf(path('plan.md'), plan, (t) => lintPlan(t, feature, requirements).findings),
    },
    boxes: boxesOf(plan ?? ''),
  };
}

export async function readChange(workdir: string, id: string): Promise<Change> {
  const paths = { proposal: changePath(id, 'proposal.md'), tasks: changePath(id, 'task.md') };
  const proposal = (await readText(workdir, paths.proposal))?.text;
  const tasks = (await readText(workdir, paths.tasks))?.text;
  const read = readProposal(proposal ?? '', id);
  return {
    proposal: stateOf(paths.proposal, proposal, () => read.findings),
    tasks: stateOf(paths.tasks, tasks, (t) => lintTasks(t, read.requirements).findings),
    boxes: boxesOf(tasks ?? ''),
  };
}

export const featuresIn = (workdir: string): Promise<string[]> => foldersIn(workdir, SPEC_DIR);
export const changesIn = (workdir: string): Promise<string[]> => foldersIn(workdir, CHANGES_DIR);

/** Files with boxes, each with the name of its feature or change. */
export async function tickedFiles(workdir: string): Promise<{ path: string; name: string }[]> {
  const features = await featuresIn(workdir);
  const changes = await changesIn(workdir);
  return [
    ...features.map((name) => ({ path: specPath(name, 'plan.md'), name })),
    ...changes.map((name) => ({ path: changePath(name, 'task.md'), name })),
  ];
}
