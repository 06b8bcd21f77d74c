// A provider of the tests: each model answers as the table says, and every request is written down.
import { noUsage } from '../../../src/domain/message.ts';
import { type Provider, ProviderFailure } from '../../../src/models/provider.ts';

/** A text, an HTTP status that fails, `empty`, `cut` after half a text, or `hang` until the deadline. */
export type Says = string | number;

export function scriptedProvider(
  name: string,
  place: Provider['place'],
  says: Record<string, Says | (() => Says)>,
) {
  const asked: string[] = [];
  const provider: Provider = {
    name,
    place,
    problem: null,
    async *stream({ model, spec }, signal) {
      asked.push(model);
      const row = says[model] ?? 404;
      const said = typeof row === 'function' ? row() : row;
      if (typeof said === 'number')
        throw new ProviderFailure('answer', `${spec} answered ${said}`, { status: said });
      if (said === 'hang')
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      if (said === 'overflow') throw new ProviderFailure('overflow', `too long for ${spec}`);
      if (said === 'refused') throw new ProviderFailure('refused', `${spec} will not`);
      yield { type: 'text', text: said };
      if (said === 'cut') throw new ProviderFailure('network', `${spec} broke off`);
      yield { type: 'end', finish: 'stop', model: spec, usage: noUsage() };
    },
  };
  return { provider, asked };
}
