// The main agent by rules: cuts the request into stages, starts what is ready, waits, and reports what came back.
// Never says that something is done whose result is not in the messages.
import { NOT_STARTED } from '../../domain/thread.ts';
import type { Language } from '../../language/lexicon.ts';
import { LABEL } from './label.ts';
import { type Plan, planOf, type Stage } from './plan.ts';
import { filesLine, readReport } from './report.ts';
import { declined, doAll } from './role.ts';
import { say } from './say.ts';
import { type Reply, replay } from './script.ts';
import { type Seen, tasksSeen } from './tasks-seen.ts';
import type { Turn } from './transcript.ts';

type State = Seen | { state: 'waiting' } | { state: 'skipped'; needs: string };

/** Which start call belongs to which stage: by what it says, since nothing else survives a restart. */
function statesOf({ stages }: Plan, since: Turn['since']): State[] {
  const seen = tasksSeen(since);
  const calls = since.flatMap((m) => (m.role === 'assistant' ? (m.tool_calls ?? []) : []));
  // A crash that came before the call: it is made again.
  const undone = new Set(
    since.flatMap((m) => (m.role === 'tool' && m.content === NOT_STARTED ? [m.tool_call_id] : [])),
  );
  const free = calls.filter((c) => c.name === 'start_async_task' && !undone.has(c.id));
  const states: State[] = [];
  for (const stage of stages) {
    const at = free.findIndex((c) => c.arguments === argumentsOf(stage));
    const [call] = at < 0 ? [] : free.splice(at, 1);
    if (call) {
      states.push(seen.get(call.id) ?? { state: 'refused', why: 'there is no result of the call' });
      continue;
    }
    const lost = stage.after.find(
      (i) => !['completed', 'open', 'waiting'].includes(states[i]?.state ?? ''),
    );
    if (lost === undefined) states.push({ state: 'waiting' });
    else states.push({ state: 'skipped', needs: stages[lost]?.role ?? '' });
  }
  return states;
}

const argumentsOf = ({ role, description }: Stage): string =>
  JSON.stringify({ subagent_type: role, description });

const counted = (names: string[]): string =>
  [...new Set(names)]
    .map((name) => {
      const n = names.filter((other) => other === name).length;
      return n > 1 ? `${name} ×${n}` : name;
    })
    .join(', ');

function resultOf(
  stage: Stage,
  state: State,
  language: Language,
): { text: string; files: string[] } {
  const s = say(language);
  if (state.state === 'completed') {
    const { text, files } = readReport(state.answer);
    return { text: `**${stage.role}**: ${text}`, files };
  }
  if (state.state === 'failed') {
    const { text } = readReport(state.answer);
    return { text: s.taskFailed(stage.role, text), files: [] };
  }
  if (state.state === 'refused') return { text: s.taskFailed(stage.role, state.why), files: [] };
  const needs = state.state === 'skipped' ? state.needs : '';
  return { text: s.skipped(stage.role, needs), files: [] };
}

function finalText(plan: Plan, states: State[]): string {
  const { language, stages, open } = plan;
  const s = say(language);
  const results = stages.map((stage, i) => resultOf(stage, states[i] as State, language));
  const done = states.filter((x) => x.state === 'completed').length;
  const used = stages.filter((_, i) => ['completed', 'failed'].includes(states[i]?.state ?? ''));
  const parts = [LABEL[language], s.ended(done, stages.length), ...results.map((r) => r.text)];
  if (open.length > 0)
    parts.push(`${s.notDone}\n${open.map((o) => `- ${o}`).join('\n')}\n${s.howTo}`);
  const files = [...new Set(results.flatMap((r) => r.files))];
  const roles = `${s.roles}: ${counted(used.map((x) => x.role)) || s.none}`;
  return `${parts.join('\n\n')}\n\n${roles}\n${filesLine(language, files)}`;
}

export function mainStep(turn: Turn): Reply {
  const plan = planOf(turn.human);
  const { stages, language } = plan;
  const alone = stages.every((s) => s.role === 'main') || !turn.tools.has('start_async_task');
  if (stages.length === 0) return { text: declined(language), calls: [] };
  if (alone) return replay(doAll(turn.human, null), turn.since, turn.tools, turn.unique);
  for (const stage of stages) if (stage.role === 'main') stage.role = 'coder';
  const states = statesOf(plan, turn.since);
  const ready = stages.filter(
    ({ after }, i) =>
      states[i]?.state === 'waiting' && after.every((j) => states[j]?.state === 'completed'),
  );
  const s = say(language);
  if (ready.length > 0) {
    return {
      text: s.starting(counted(ready.map((x) => x.role))),
      calls: ready.map((stage, i) => ({
        id: `${turn.unique}_${i}`,
        name: 'start_async_task',
        arguments: argumentsOf(stage),
      })),
    };
  }
  const open = stages.filter((_, i) => states[i]?.state === 'open');
  if (open.length > 0) return { text: s.waiting(counted(open.map((x) => x.role))), calls: [] };
  return { text: finalText(plan, states), calls: [] };
}
