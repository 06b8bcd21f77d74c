// The prompts of the fakes: one role and main, kept in memory.
import { AppError } from '../../src/domain/errors.ts';
import type { Services } from '../../src/http/services.ts';

export function fakePrompts(): Services['prompts'] {
  const texts = new Map<string, string>();
  const get: Services['prompts']['get'] = (role) => {
    if (role !== 'coder' && role !== 'main') throw new AppError('not_found', `no role ${role}`);
    const override = texts.get(role) ?? null;
    return {
      ...{ role, mode: role === 'main' ? 'append' : 'replace', default: 'default', override },
      ...{ effective: override ?? 'default', updated_at: null, warnings: [] },
    };
  };
  return {
    get,
    async set(role, prompt) {
      get(role);
      texts.set(role, prompt);
      return get(role);
    },
    async reset(role) {
      texts.delete(role);
      return get(role);
    },
  };
}
