// model-fallback: a model that answers with nothing, also after a reminder, is left for the next one in the list.
// Failures never come here: the gateway retries them and asks the next model by itself.
import type { Middleware } from '../middleware.ts';

export function modelFallback(): Middleware {
  let after: string | null = null;
  return {
    name: 'model-fallback',
    beforeModel(_ctx, request) {
      if (after !== null) request.after = after;
    },
    onEmpty(ctx, model) {
      // The same one again: whoever calls models knows no list.
      if (model === after) return false;
      after = model;
      ctx.log.warn({ run_id: ctx.run_id, model }, 'empty answers; asking the next model');
      return true;
    },
  };
}
