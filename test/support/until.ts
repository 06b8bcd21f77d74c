// Waits for a condition of the real world. Never a fixed sleep: the deadline is the only time a test names.

const EVERY_MS = 10;

/** Polls `ok` until it is truthy and answers with what it gave; throws, naming `what`, after `ms` milliseconds. */
export async function until<T>(
  ok: () => T | Promise<T>,
  ms: number,
  what: string,
): Promise<Exclude<T, false | null | undefined | '' | 0>> {
  const deadline = performance.now() + ms;
  for (;;) {
    const value = await ok();
    if (value) return value as Exclude<T, false | null | undefined | '' | 0>;
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
