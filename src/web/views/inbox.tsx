// What waits for a person: questions of agents, things they want to do, and what they would remember.
import { useEffect, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { duration, firstLine, visible } from '../format.ts';
import { Act, Empty, Trouble } from '../parts/basics.tsx';
import { hrefOf } from '../route.ts';
import {
  decide,
  loadReviews,
  pending,
  type Review,
  reviewsError,
  title,
  whenElsewhere,
} from '../state/reviews.ts';
import { Proposals } from './proposals.tsx';

function Question({ review }: { review: Review }) {
  const [text, setText] = useState('');
  const { question = '', options = [] } = review.request;
  return (
    <>
      <p class="asked">{visible(question)}</p>
      {options.length > 0 && (
        <div class="buttons">
          {options.map((option, i) => (
            <Act
              key={option}
              label={visible(option)}
              run={() => decide(review, { option: i + 1 })}
            />
          ))}
        </div>
      )}
      <label>
        {options.length > 0 ? 'Or in your own words' : 'Your answer'}
        <textarea rows={2} value={text} onInput={(e) => setText(e.currentTarget.value)} />
      </label>
      <Act
        label="Answer"
        kind="primary"
        disabled={text.trim() === ''}
        run={() => decide(review, { answer: text })}
      />
    </>
  );
}

function Approval({ review }: { review: Review }) {
  const [reason, setReason] = useState('');
  const { action = '', detail = '', subject = '' } = review.request;
  const why = reason.trim() === '' ? {} : { reason };
  return (
    <>
      <p class="asked">{visible(action)}</p>
      {detail && <pre class="plain">{visible(detail)}</pre>}
      <label>
        Reason (optional)
        <input value={reason} onInput={(e) => setReason(e.currentTarget.value)} />
      </label>
      <div class="buttons">
        <Act label="Allow once" kind="primary" run={() => decide(review, { decision: 'once' })} />
        <Act
          label="Allow in this query"
          title={`Also every later one: ${subject}`}
          run={() => decide(review, { decision: 'session' })}
        />
        <Act label="Deny" kind="danger" run={() => decide(review, { decision: 'deny', ...why })} />
      </div>
    </>
  );
}

function Card({ review }: { review: Review }) {
  const left = Date.parse(review.expires_at) - now.value;
  return (
    <li class="card" aria-label={`${review.kind} of ${review.path.at(-1)}`}>
      <header>
        <a href={hrefOf('queries', review.query_id, { node: review.task_id ?? review.query_id })}>
          {review.path.map(visible).join(' › ')}
        </a>
        <span class="dim">{left > 0 ? `${duration(left)} left` : 'its time is over'}</span>
      </header>
      {review.context && <p class="dim">{visible(firstLine(review.context, 300))}</p>}
      {review.kind === 'question' && <Question review={review} />}
      {review.kind === 'approval' && <Approval review={review} />}
      {review.kind === 'memory' && <Proposals review={review} />}
    </li>
  );
}

export function Inbox() {
  const [others, setOthers] = useState<string[]>([]);
  useEffect(() => {
    title.value = 'Inbox · Troupe';
    return whenElsewhere((id) => setOthers((before) => [...before, id]));
  }, []);
  const rows = pending.value;
  return (
    <section class="stack" aria-label="Inbox">
      <h1>Inbox</h1>
      <div aria-live="polite">
        {others.map((id) => (
          <p key={id} class="warn">
            Somebody else had decided that already; nothing of yours was lost but the click.
          </p>
        ))}
      </div>
      {reviewsError.value && <Trouble text={reviewsError.value} retry={() => void loadReviews()} />}
      {rows.length === 0 && !reviewsError.value && (
        <Empty title="Nothing waits for you">
          <p>Questions of agents and what they would like to remember come here.</p>
        </Empty>
      )}
      <ul class="cards">
        {rows.map((review) => (
          <Card key={review.review_id} review={review} />
        ))}
      </ul>
    </section>
  );
}
