// The Tx that one unit of work gets: the nouns of the store, usable only while the unit runs.
import { AppError } from '../../domain/errors.ts';
import type { Tx } from '../../domain/ports.ts';

export type Nouns = Omit<Tx, 'at'>;
type Noun = Record<string, (...values: never[]) => Promise<unknown>>;

export function openUnit(nouns: Nouns, at: string): { tx: Tx; end(): void } {
  let running = true;
  const guard = <T extends object>(noun: T): T =>
    Object.fromEntries(
      Object.entries(noun as Noun).map(([name, call]) => [
        name,
        (...values: never[]) => (running ? call(...values) : Promise.reject(ended(name))),
      ]),
    ) as T;
  const guarded = new Map<keyof Nouns, object>();
  const tx = { at };
  // Made when first asked for: most units touch two or three nouns.
  for (const name of Object.keys(nouns) as (keyof Nouns)[])
    Object.defineProperty(tx, name, {
      enumerable: true,
      get() {
        const known = guarded.get(name) ?? guard(nouns[name]);
        guarded.set(name, known);
        return known;
      },
    });
  return {
    tx: tx as Tx,
    end() {
      running = false;
    },
  };
}

const ended = (name: string): AppError =>
  new AppError('internal', `${name}() was called on a unit of work that has already ended`);
