// strict-spec at the door: the stages in their order, the boxes of plan.md to coders.
import type { Store } from '../../domain/ports.ts';
import type { Admission, AdmitAsk } from '../../domain/workflow-gate.ts';
import { readDispatch, refuseBoxes } from '../../workflows/dispatch.ts';
import { specPath } from '../../workflows/paths.ts';
import { refuseStage, stageOfRole } from '../../workflows/strict-spec.ts';
import { takenOf } from './coders.ts';
import { featureOf, specFacts } from './facts.ts';
import { noteWorkflow } from './log.ts';
import { withTddDecision } from './tdd-decided.ts';

const refuse = (message: string): Admission => ({ ok: false, message });

export async function admitSpec(store: Store, ask: AdmitAsk): Promise<Admission> {
  const { query, child, description } = ask;
  const stage = stageOfRole(child);
  if (!stage) return { ok: true, description };
  const tasks = await store.reads.tasks.ofQuery(query.query_id);
  const dispatch = readDispatch(description);
  const feature = await featureOf(query, tasks, dispatch.feature);
  if (!feature)
    return refuse('the description names no feature; it begins with "Feature: <kebab-case name>"');
  const facts = await specFacts(store, query, feature);
  const why = refuseStage(stage, facts);
  if (why) return refuse(why);
  let text = dispatch.feature ? description : `Feature: ${feature}\n${description}`;
  if (stage === 'implementation') {
    const path = specPath(feature, 'plan.md');
    const { boxes } = facts.read;
    const taken = takenOf(facts.coders, feature);
    const wrong = refuseBoxes({ path, boxes, tasks: dispatch.tasks, taken });
    if (wrong) return refuse(wrong);
    const given = boxes.filter((b) => dispatch.tasks.includes(b.number));
    text = await withTddDecision(store, query, text, given);
  }
  await noteWorkflow(store, query.query_id, {
    state: 'stage_started',
    detail: `${stage} of ${feature}`,
    data: { stage, feature, role: child, tasks: dispatch.tasks },
  });
  return { ok: true, description: text };
}
