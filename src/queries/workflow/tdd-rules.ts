// TDD at the door: no tester works without the guide, and nobody writes code before the tests have been seen to fail.
import type { Store } from '../../domain/ports.ts';
import type { Admission, AdmitAsk } from '../../domain/workflow-gate.ts';
import { TEST_GUIDE } from '../../workflows/paths.ts';
import { cycleOf } from '../../workflows/tdd-cycle.ts';
import { readGuide } from '../../workflows/test-guide.ts';
import { readText } from './files.ts';
import { receiptsOf } from './receipts.ts';

const refuse = (message: string): Admission => ({ ok: false, message });

/** A guess that nobody has confirmed is no guide. */
function wrongWithGuide(text: string | null): string | null {
  if (text === null) return `${TEST_GUIDE} is missing`;
  const { test, guesses } = readGuide(text);
  if (test === null) return `${TEST_GUIDE} names no command under "## Test"`;
  return guesses.length > 0 ? `${TEST_GUIDE} has open guesses: ${guesses.join('; ')}` : null;
}

export async function admitTesters(store: Store, ask: AdmitAsk): Promise<Admission> {
  const { query, child, description, parent_task_id } = ask;
  if (child === 'TestPrepare') return { ok: true, description };
  const wrong = wrongWithGuide((await readText(query.workdir, TEST_GUIDE))?.text ?? null);
  if (wrong) return refuse(`action required: ${wrong}; start TestPrepare, then ${child} again`);
  if (child === 'TestAndFix') {
    const { red } = cycleOf(await receiptsOf(store.reads, query.query_id, parent_task_id));
    if (red?.verdict !== 'PASS')
      return refuse(
        'TestAndFix starts when the tests have been seen to fail: let TestDesign write them, then have the phase "red" checked',
      );
  }
  return { ok: true, description };
}
