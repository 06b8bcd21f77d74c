// strict-plan at the door: explorers with scopes of their own, the check with the runtime's findings, coders only after
// the user's "now".
import type { Store } from '../../domain/ports.ts';
import type { Admission, AdmitAsk } from '../../domain/workflow-gate.ts';
import { readDispatch, refuseBoxes } from '../../workflows/dispatch.ts';
import { changePath } from '../../workflows/paths.ts';
import { refuseCoding } from '../../workflows/strict-plan.ts';
import { pausedBy } from '../../workflows/strict-spec.ts';
import { codersOf, takenOf } from './coders.ts';
import { changesIn, readChange } from './documents.ts';
import { choiceOf, failureOf, toldBy } from './facts.ts';
import { noteWorkflow } from './log.ts';
import { withTddDecision } from './tdd-decided.ts';

const refuse = (message: string): Admission => ({ ok: false, message });
const words = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

async function admitExplorer(store: Store, ask: AdmitAsk): Promise<Admission> {
  const { query, child, description } = ask;
  const before = await store.reads.tasks.ofQuery(query.query_id);
  const same = before.find(
    (t) => t.subagent_type === child && words(t.description) === words(description),
  );
  return same
    ? refuse(`task ${same.task_id} has the same scope (${same.status}); give each explorer its own`)
    : { ok: true, description };
}

async function admitCheck({ query, description }: AdmitAsk): Promise<Admission> {
  const all = await changesIn(query.workdir);
  const change = readDispatch(description).change ?? (all.length === 1 ? (all[0] ?? null) : null);
  if (!change)
    return refuse(
      `the description names no change; it has a line "Change: <id>" (there are: ${all.join(', ') || 'none'})`,
    );
  const { proposal, tasks } = await readChange(query.workdir, change);
  for (const doc of [proposal, tasks]) if (doc.missing) return refuse(`${doc.path} is missing`);
  const findings = [...proposal.findings, ...tasks.findings];
  const said = findings.length > 0 ? findings.map((f) => `- ${f}`).join('\n') : '- none';
  return {
    ok: true,
    description: `${description}\n\nFindings of the runtime's own check:\n${said}`,
  };
}

async function admitCoder(store: Store, ask: AdmitAsk): Promise<Admission> {
  const { query, child, description } = ask;
  const told = await toldBy(store, query.query_id);
  const tasks = await store.reads.tasks.ofQuery(query.query_id);
  const coders = codersOf(tasks);
  const paused = pausedBy({ failed: failureOf(tasks, coders, told.since) });
  if (paused) return refuse(`${paused}. Ask the user how it goes on; nothing starts before`);
  const dispatch = readDispatch(description);
  const changes = await changesIn(query.workdir);
  const read = dispatch.change ? await readChange(query.workdir, dispatch.change) : null;
  const facts = {
    changes,
    proposal: read?.proposal ?? null,
    tasks: read?.tasks ?? null,
    choice: choiceOf(told),
  };
  const why = refuseCoding(dispatch.change, facts);
  if (why || !read || !dispatch.change) return refuse(why ?? 'no change');
  const path = changePath(dispatch.change, 'task.md');
  const taken = takenOf(coders, dispatch.change);
  const wrong = refuseBoxes({ path, boxes: read.boxes, tasks: dispatch.tasks, taken });
  if (wrong) return refuse(wrong);
  const given = read.boxes.filter((b) => dispatch.tasks.includes(b.number));
  const text = await withTddDecision(store, query, description, given);
  await noteWorkflow(store, query.query_id, {
    state: 'stage_started',
    detail: `implementation of ${dispatch.change}: ${dispatch.tasks.join(', ')}`,
    data: { stage: 'implementation', change: dispatch.change, role: child, tasks: dispatch.tasks },
  });
  return { ok: true, description: text };
}

export async function admitPlan(store: Store, ask: AdmitAsk): Promise<Admission> {
  if (ask.child === 'QuickExplore') return admitExplorer(store, ask);
  if (ask.child === 'TaskCheck') return admitCheck(ask);
  return ask.child === 'SubCoding'
    ? admitCoder(store, ask)
    : { ok: true, description: ask.description };
}
