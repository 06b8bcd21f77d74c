// Which of a coder's tasks are done test-driven: decided once when they are handed out, kept with its reasons, and told
// to the coder.
import type { Store } from '../../domain/ports.ts';
import type { Query } from '../../domain/query.ts';
import type { Box } from '../../workflows/boxes.ts';
import { fieldsOf } from '../../workflows/document.ts';
import { decideTdd } from '../../workflows/tdd-decision.ts';
import { noteWorkflow } from './log.ts';
import { testCommand } from './test-command.ts';

const textOf = (box: Box): string => [box.title, ...box.body.map((l) => l.text)].join('\n');

/** Paths in the element Target; of a box without one, those that stand in its words. */
function targetsOf(box: Box): string[] {
  const field = fieldsOf(box.body).get('target')?.value;
  const text = field ?? textOf(box);
  return [...text.matchAll(/[\w@.-]*(?:\/[\w@.-]+)*[\w@-]\.[A-Za-z]{1,6}\b/g)].map(
    ([path]) => path,
  );
}

export async function withTddDecision(
  store: Store,
  query: Query,
  description: string,
  boxes: readonly Box[],
): Promise<string> {
  const has_runner = (await testCommand(query.workdir)) !== null;
  const wanted: string[] = [];
  for (const box of boxes) {
    const asked = { text: textOf(box), targets: targetsOf(box), has_runner };
    const decision = decideTdd(asked);
    if (decision.tdd) wanted.push(box.number);
    await noteWorkflow(store, query.query_id, {
      state: 'tdd_decided',
      detail: `task ${box.number}: ${decision.tdd ? 'test-driven' : 'not test-driven'}`,
      data: {
        task: box.number,
        tdd: decision.tdd,
        reasons: decision.reasons,
        targets: asked.targets,
      },
    });
  }
  const said = wanted.length > 0 ? wanted.join(', ') : 'none';
  return `${description}\n\nTest-driven, as the runtime has decided: ${said}`;
}
