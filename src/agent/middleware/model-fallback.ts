// model-fallback: once a run, a retryable failure of a role's own model is answered by the default model.
// The gateway has retried and tried its fallbacks before; this only changes what is asked for.
import { ERRORS } from '../../domain/errors.ts';
import type { Middleware } from '../middleware.ts';

export function modelFallback(): Middleware {
  let used = false;
  return {
    name: 'model-fallback',
    onModelError(ctx, code, model) {
      if (used || model === 'default' || !ERRORS[code].retryable) return null;
      used = true;
      ctx.log.warn({ run_id: ctx.run_id, model, code }, 'model failed; asking the default model');
      return 'default';
    },
  };
}
