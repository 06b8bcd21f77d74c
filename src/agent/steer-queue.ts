// Messages that reach a run while it works. Once it is closed nothing is taken any more, so nothing gets lost.

/** The end of the loop. */
export type Steering = {
  take(): string[];
  /** False while messages wait: the run must take them before it ends. */
  close(): boolean;
  /** No message is accepted from now on, whatever waits. */
  end(): void;
};
export type SteerQueue = Steering & { push(text: string): 'delivered' | 'missed' };

const MOST = 100;

export function createSteerQueue(): SteerQueue {
  const waiting: string[] = [];
  let open = true;
  return {
    push(text) {
      if (!open || waiting.length >= MOST) return 'missed';
      waiting.push(text);
      return 'delivered';
    },
    take: () => waiting.splice(0),
    close() {
      if (waiting.length === 0) open = false;
      return !open;
    },
    end() {
      open = false;
    },
  };
}
