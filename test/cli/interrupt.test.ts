import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { watchInterrupts } from '../../src/cli/interrupt.ts';
import { createTerminal } from '../../src/cli/terminal.ts';
import { until } from '../support/until.ts';

/** A person at a terminal: types into stdin, presses Ctrl-C. */
function person({ tty }: { tty: boolean }) {
  const listeners = new Set<() => void>();
  const streams = {
    stdin: Object.assign(new PassThrough(), { isTTY: tty }),
    stdout: new PassThrough(),
    stderr: Object.assign(new PassThrough(), { isTTY: tty }),
  };
  let said = '';
  streams.stderr.on('data', (text) => {
    said += text;
  });
  const ctrlC = () => {
    for (const listener of [...listeners]) listener();
  };
  const term = createTerminal(streams, { noColour: true });
  let cancels = 0;
  const watch = watchInterrupts({
    term,
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cancel: async () => {
      cancels += 1;
    },
  });
  return {
    ...{ watch, ctrlC, listeners, cancels: () => cancels },
    types: (text: string) => void streams.stdin.write(text),
    says: (text: string) => until(() => said.includes(text), 5_000, `"${text}" in ${said}`),
  };
}

it('cancels at once when nobody can be asked, and leaves at the second Ctrl-C', async () => {
  const { watch, ctrlC, cancels, says } = person({ tty: false });
  ctrlC();
  await says('cancelling');
  expect(cancels()).toBe(1);
  expect(watch.cancelled()).toBe(true);
  expect(watch.leave.aborted).toBe(false);
  ctrlC();
  expect(watch.leave.aborted).toBe(true);
});

it('asks at a terminal and cancels only on yes', async () => {
  const { watch, ctrlC, cancels, types, says } = person({ tty: true });
  ctrlC();
  await says('cancel the query? [y/N]');
  types('n\n');
  await says('it goes on');
  expect(watch.cancelled()).toBe(false);
  ctrlC();
  types('y\n');
  await says('cancelling');
  expect(cancels()).toBe(1);
});

it('leaves without cancelling when Ctrl-C answers the question', async () => {
  const { watch, ctrlC, cancels, types, says } = person({ tty: true });
  ctrlC();
  await says('[y/N]');
  types('\x03');
  await until(() => watch.leave.aborted, 5_000, 'leaving');
  expect(cancels()).toBe(0);
});

it('stops listening when it is closed', () => {
  const { watch, listeners } = person({ tty: false });
  watch.close();
  expect(listeners.size).toBe(0);
});
