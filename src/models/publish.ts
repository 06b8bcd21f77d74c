// Gathers the text of one model call into few events: the first text goes out at once, then one piece per 50 ms.
// Never holds text back at the end, never cuts a character in two.

/** Fast enough to look live, slow enough that a token is not a row in the database. */
const EVERY_MS = 50;
/** A piece this long goes out before its time: the buffer is bounded. */
const MOST_CHARS = 16_384;

export type Publisher = { add(text: string): void; flush(): void };

const endsInHalf = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text);

export function createPublisher(emit: (text: string) => void): Publisher {
  let held = '';
  let timer: NodeJS.Timeout | null = null;
  const send = (all: boolean) => {
    const keep = !all && endsInHalf(held) ? held.slice(-1) : '';
    const out = keep === '' ? held : held.slice(0, -1);
    held = keep;
    if (out !== '') emit(out);
    return out !== '';
  };
  const tick = () => {
    timer = send(false) ? setTimeout(tick, EVERY_MS) : null;
  };
  return {
    add(text) {
      held += text;
      if (timer === null) tick();
      else if (held.length >= MOST_CHARS) send(false);
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      send(true);
    },
  };
}
