// ⚡ What the server decided about splitting a request, and why: parts, scores with every component, what it saved.
import type { TroupeEvent } from '../../domain/event.ts';
import { duration, visible } from '../format.ts';
import type { OpenQuery } from '../state/query.ts';

type Component = { name: string; weight: number; value: number; adds: number; found: string };
type Score = {
  id: string;
  score: number;
  threshold: number;
  verdict: boolean;
  components: Component[];
};
type Decision = {
  branched: boolean;
  reason: string;
  parts?: string[];
  scores?: { ratio: Score; points: Score };
};
type Settled = { payoff?: { saved_ms: number } };

function Breakdown({ score }: { score: Score }) {
  return (
    <table class="table">
      <caption>
        {score.id}: {score.score.toFixed(2)} of {score.threshold.toFixed(2)},{' '}
        {score.verdict ? 'enough' : 'not enough'}
      </caption>
      <thead>
        <tr>
          <th scope="col">Component</th>
          <th scope="col">Found</th>
          <th scope="col">Weight</th>
          <th scope="col">Adds</th>
        </tr>
      </thead>
      <tbody>
        {score.components.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td data-label="Found">{visible(row.found)}</td>
            <td data-label="Weight" class="number">
              {row.weight}
            </td>
            <td data-label="Adds" class="number">
              {row.adds.toFixed(3)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Decided({ event }: { event: TroupeEvent }) {
  const { branched, reason, parts = [], scores } = event.data as unknown as Decision;
  return (
    <details>
      <summary>
        {branched
          ? `⚡ branched into ${parts.length}`
          : `did not branch: ${visible(event.detail || reason)}`}
      </summary>
      {parts.length > 0 && (
        <ol class="parts">
          {parts.map((part) => (
            <li key={part}>{visible(part)}</li>
          ))}
        </ol>
      )}
      {scores && <Breakdown score={scores.ratio} />}
      {scores && <Breakdown score={scores.points} />}
    </details>
  );
}

export function Branches({ open }: { open: OpenQuery }) {
  const events = open.log.value.filter((e) => e.kind === 'branch');
  if (events.length === 0) return null;
  return (
    <section class="branches">
      <h2>Branch decisions</h2>
      {events.map((event) => {
        if (event.data.scores) return <Decided key={event.seq} event={event} />;
        const saved = (event.data as Settled).payoff?.saved_ms;
        return (
          <p key={event.seq} class="dim">
            {event.state}
            {saved === undefined ? `: ${visible(event.detail)}` : `: ${duration(saved)} saved`}
          </p>
        );
      })}
    </section>
  );
}
