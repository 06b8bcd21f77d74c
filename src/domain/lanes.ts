// One thing at a time for each key, in the order of arrival. Keeps nothing about a key that nobody uses.

export type Lanes = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createLanes(): Lanes {
  const tails = new Map<string, Promise<void>>();
  return async function inLane<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = tails.get(key);
    let leave: () => void = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    tails.set(key, mine);
    try {
      await before;
      return await work();
    } finally {
      leave();
      if (tails.get(key) === mine) tails.delete(key);
    }
  };
}
