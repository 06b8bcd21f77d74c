// Keys that a command of an agent has read (the server's own environment is open to its user) go no further than the
// run that read them: not to a model, a row, an event or an answer.
import type { RunHost } from './run.ts';

/** `mask`: replaces every known secret in a text by something that is valid inside a JSON string. */
export function maskedHost(host: RunHost, mask: (text: string) => string): RunHost {
  const clean = <T>(value: T): T => {
    const json = JSON.stringify(value);
    const masked = mask(json);
    return masked === json ? value : (JSON.parse(masked) as T);
  };
  return {
    model: (request, signal) => host.model(clean(request), signal),
    step: (delta, receipts) => host.step(clean(delta), clean(receipts)),
    toolStarted: (start) => host.toolStarted(clean(start)),
    tasks: (call, signal) => host.tasks(clean(call), signal),
    policy: (note) => host.policy(clean(note)),
    memory: (call) => host.memory(clean(call)),
    brain: (call) => host.brain(clean(call)),
    ask: (call, signal) => host.ask(clean(call), signal),
    progress: (progress) => host.progress(clean(progress)),
    result: (outcome, last) => host.result(clean(outcome), last && clean(last)),
  };
}
