// /v1/reviews: the inbox where a person decides: look, and answer.
import Type from 'typebox';
import { REVIEW_KINDS, REVIEW_STATUSES, type Review } from '../../domain/review.ts';
import type { App, Http } from '../context.ts';
import { once } from '../idempotency.ts';
import { fails, idempotencyHeader, json } from '../openapi.ts';
import { askOf, given, pageOf, pageQuery, sendPage } from '../page.ts';
import { ref } from '../shapes.ts';
import { type ReviewView, reviewView } from '../views.ts';

const strict = { additionalProperties: false };
const tags = ['reviews'];
const params = Type.Object({ review_id: Type.String({ minLength: 1, maxLength: 128 }) });

// Which of these fit depends on the review: what does not is refused with what is allowed.
const decision = Type.Object(
  {
    answer: Type.Optional(Type.String({ description: 'question: the answer' })),
    option: Type.Optional(
      Type.Integer({ description: 'question: number of one of its options, from 1' }),
    ),
    decision: Type.Optional(
      Type.String({
        description: 'approval: once, session or deny. memory: approve or reject all',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'approval, memory: why' })),
    items: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String(),
          decision: Type.Optional(Type.String({ description: 'approve or reject' })),
          layer: Type.Optional(Type.String({ description: 'instead of the one proposed' })),
          rationale: Type.Optional(Type.String()),
          note: Type.Optional(
            Type.String({ description: 'instead of the one proposed; "": the text of the file' }),
          ),
          reason: Type.Optional(Type.String({ description: 'why it is rejected' })),
        }),
        { description: 'memory: proposals that "decision" does not hold for, or that are changed' },
      ),
    ),
  },
  { examples: [{ answer: 'PostgreSQL' }] },
);

export function reviewRoutes(app: App, http: Http): void {
  const { reviews } = http.services;
  const view = (review: Review): ReviewView => reviewView(review, reviews.allowed);
  app.get(
    '/v1/reviews',
    {
      schema: {
        operationId: 'listReviews',
        summary: 'What waits for a person, and what did; newest first',
        tags,
        querystring: Type.Object(
          {
            ...pageQuery,
            status: Type.Optional(Type.Enum([...REVIEW_STATUSES])),
            kind: Type.Optional(Type.Enum([...REVIEW_KINDS])),
            query_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
          },
          strict,
        ),
        response: { 200: json('A page', pageOf(ref('Review'))), ...fails() },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...filter } = request.query;
      const page = await reviews.list({ ...askOf(limit, cursor), ...given(filter) });
      return sendPage(request, reply, page, view);
    },
  );

  app.get(
    '/v1/reviews/:review_id',
    {
      schema: {
        operationId: 'getReview',
        summary: 'One review, with what may be decided',
        tags,
        params,
        response: { 200: json('As it is now', ref('Review')), ...fails(404) },
      },
    },
    async (request) => view(await reviews.get(request.params.review_id)),
  );

  app.post(
    '/v1/reviews/:review_id',
    {
      config: { scope: 'approve' },
      schema: {
        operationId: 'decideReview',
        summary: 'Decide: answer a question, approve or deny, choose what is remembered',
        tags,
        headers: idempotencyHeader,
        params,
        body: decision,
        response: {
          200: json('Decided', ref('Review')),
          ...fails(404, 409, 413, 415, 422, 507),
        },
      },
    },
    async (request, reply) => {
      const { review_id } = request.params;
      const by = request.api_key?.name ?? 'local';
      const done = await once<Review>(
        { request, reply, port: http.idempotency },
        (also) => reviews.decide(review_id, request.body, by, also),
        (review) => ({ status: 200, body: view(review) }),
      );
      return done.fresh ? view(done.accepted) : (done.body as ReviewView);
    },
  );
}
