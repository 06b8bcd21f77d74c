// One signal out of several, with a deadline where one is wanted. In the place of AbortSignal.any, which holds its
// sources weakly: a timeout among them may be collected and never fire, and long-lived ones keep a remnant of each.

export type JoinedSignal = {
  /** Aborted with the first of its sources, for the same reason; a `TimeoutError` at the deadline. */
  signal: AbortSignal;
  /** Lets go of the sources and the timer. Call it when the work is over, however it ended. */
  release(): void;
};

export function joinSignals(
  sources: readonly (AbortSignal | undefined)[],
  deadline_ms?: number,
): JoinedSignal {
  const joined = new AbortController();
  const given = sources.filter((source) => source !== undefined);
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    joined.abort(given.find((source) => source.aborted)?.reason);
    release();
  };
  function release(): void {
    clearTimeout(timer);
    for (const source of given) source.removeEventListener('abort', end);
  }
  for (const source of given) source.addEventListener('abort', end);
  if (given.some((source) => source.aborted)) end();
  else if (deadline_ms !== undefined)
    timer = setTimeout(() => {
      joined.abort(new DOMException(`no answer within ${deadline_ms} ms`, 'TimeoutError'));
      release();
    }, deadline_ms);
  return { signal: joined.signal, release };
}
