// `troupe explain`: why a query branched or did not, with every number of the decision. `troupe branches`: the ledger of
// all decisions, what they cost and saved, and the threshold that this suggests.
import type { Command } from 'commander';
import {
  type Component,
  type PayOff,
  type Prediction,
  type Score,
  type Scores,
  suggestThreshold,
} from '../../branching/index.ts';
import type { TroupeEvent } from '../../domain/event.ts';
import type { Cli, Run } from '../cli.ts';
import { segment } from '../client.ts';
import { EXIT } from '../exit.ts';
import { rowLimit } from '../number.ts';

/** What the server puts into an event of a decision, as far as it is shown. */
type Decision = {
  run_id: string;
  trigger: string;
  branched: boolean;
  reason: string;
  mode: string;
  score: number;
  scores: Scores;
  gate: { mode: string; reason: string };
  parts: string[];
  steps: string[];
};
type End = {
  run_id: string;
  status: string;
  branch_ids: string[];
  prediction: Prediction;
  payoff: PayOff;
};
type Row = { event: TroupeEvent; decision: Decision; end: End | null };

const MOST = 100_000;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const isDecision = ({ state }: TroupeEvent): boolean =>
  state === 'branched' || state === 'considered';

/** Each decision with its end; both name the turn and what set them off. */
function rowsOf(events: readonly TroupeEvent[]): Row[] {
  const ends = new Map(
    events
      .filter(({ state }) => state === 'settled')
      .map(({ data }) => [`${data.run_id} ${data.trigger}`, data as unknown as End]),
  );
  return events.filter(isDecision).map((event) => {
    const decision = event.data as unknown as Decision;
    const end = ends.get(`${decision.run_id} ${decision.trigger}`) ?? null;
    return { event, decision, end };
  });
}

function showScore(cli: Cli, { id, score, threshold, verdict, components }: Score): void {
  cli.term.line();
  cli.term.line(
    { tone: 'bold', text: id },
    `  ${score.toFixed(3)} of ${threshold.toFixed(2)}: ${verdict ? 'enough' : 'not enough'}`,
  );
  cli.term.table<Component>(components, [
    { title: 'COMPONENT', value: (c) => c.name },
    { title: 'WEIGHT', value: (c) => c.weight.toFixed(2) },
    { title: 'VALUE', value: (c) => c.value.toFixed(2) },
    { title: 'ADDS', value: (c) => c.adds.toFixed(3) },
    { title: 'FOUND', value: (c) => c.found },
  ]);
}

function show(cli: Cli, { event, decision, end }: Row): void {
  const { branched, trigger, gate, parts, steps, scores } = decision;
  cli.term.line(
    branched ? { tone: 'spark', text: '⚡ branched' } : { tone: 'bold', text: 'not branched' },
    `  ${decision.reason}: ${event.detail}`,
  );
  cli.term.fields([
    ['decided', `${event.at}, ${trigger}`],
    ['branch', decision.mode],
    ['gate', `${gate.mode} (${gate.reason})`],
  ]);
  for (const [i, part] of [...parts, ...steps].entries()) cli.term.line(`  ${i + 1}. ${part}`);
  showScore(cli, scores.ratio);
  showScore(cli, scores.points);
  if (!end) return;
  const { prediction: p, payoff: r } = end;
  cli.term.line();
  cli.term.fields([
    ['branches', `${end.branch_ids.join(', ')}: ${end.status}`],
    ['predicted', `${seconds(p.branched_ms)}, ${p.branched_tokens} tokens`],
    ['took', `${seconds(r.real_ms)}, ${r.real_tokens} tokens`],
    ['one agent', `${seconds(r.serial_ms)}, ${r.serial_tokens} tokens (estimate)`],
    ['saved', `${seconds(r.saved_ms)}, ${r.saved_tokens} tokens`],
  ]);
}

async function explain(cli: Cli, id: string): Promise<number> {
  const client = await cli.connect();
  const path = `/v1/queries/${segment(id)}/events`;
  const rows = rowsOf(await client.list<TroupeEvent>(path, { kinds: 'branch' }, MOST));
  if (cli.json) cli.term.json(rows.map(({ event, end }) => ({ ...event, end })));
  else if (rows.length === 0)
    cli.term.line('nothing was decided: no tool was called in a turn of it');
  rows.forEach((row, i) => {
    if (cli.json) return;
    if (i > 0) cli.term.line();
    show(cli, row);
  });
  return EXIT.ok;
}

async function branches(cli: Cli, o: { limit: number }): Promise<number> {
  const client = await cli.connect();
  const events = await client.list<TroupeEvent>(
    '/v1/events',
    { kinds: 'branch', after: '0' },
    MOST,
  );
  const rows = rowsOf(events);
  const settled = rows.flatMap(({ decision, end }) =>
    end ? [{ score: decision.score, saved_ms: end.payoff.saved_ms }] : [],
  );
  const suggestion = suggestThreshold(settled);
  const shown = rows.slice(-o.limit).reverse();
  if (cli.json) {
    cli.term.json({ decisions: shown.map(({ event, end }) => ({ ...event, end })), suggestion });
    return EXIT.ok;
  }
  if (rows.length === 0) {
    cli.term.line('no decisions yet');
    return EXIT.ok;
  }
  cli.term.table(shown, [
    { title: 'QUERY', value: ({ event }) => event.query_id },
    {
      title: 'DECIDED',
      value: ({ decision: d }) => (d.branched ? `⚡ ${d.parts.length}` : d.reason),
    },
    { title: 'SCORE', value: ({ decision: d }) => d.score.toFixed(3) },
    { title: 'TOOK', value: ({ end }) => end && seconds(end.payoff.real_ms) },
    { title: 'SAVED', value: ({ end }) => end && seconds(end.payoff.saved_ms) },
    { title: 'TOKENS', value: ({ end }) => end?.payoff.real_tokens },
    { title: 'SAVED', value: ({ end }) => end?.payoff.saved_tokens },
  ]);
  if (suggestion)
    cli.term.line(
      `suggested branching.ratio_threshold_percent: ${Math.round(suggestion.threshold * 100)} (${suggestion.of} branchings, ${seconds(suggestion.saved_ms)} saved with it)`,
    );
  return EXIT.ok;
}

export function addBranches(program: Command, run: Run): void {
  program
    .command('explain <query>')
    .description(
      'why a query branched or did not: gate, guards, both scores, and what it cost and saved',
    )
    .action((id: string) => run((cli) => explain(cli, id)));
  program
    .command('branches')
    .description('decisions to branch, newest first, with what they took against one agent alone')
    .option('--limit <n>', 'at most so many', rowLimit, 50)
    .action((o: { limit: number }) => run((cli) => branches(cli, o)));
}
