// What an Ollama model can do, asked once per model: a model without tools would only talk about its work.
import { joinSignals } from '../domain/join-signals.ts';
import { httpFetch } from './http-fetch.ts';

export type Abilities = { tools: boolean; thinking: boolean };

/** Answers from memory: a server that takes longer is stuck, and the chat itself will tell. */
const ASK_MS = 10_000;
/** Models that are looked at for an error text. */
const MOST_LISTED = 30;

type Loose = Record<string, unknown>;

type Ask = { url: string; body: Loose | null; signal: AbortSignal; deadline_ms: number };

async function ask({ url, body, signal, deadline_ms }: Ask): Promise<Loose | null> {
  const ending = joinSignals([signal], deadline_ms);
  try {
    const answer = await httpFetch(url, {
      method: body === null ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      body: body === null ? '' : JSON.stringify(body),
      signal: ending.signal,
    });
    const value: unknown = await answer.json();
    return answer.ok && typeof value === 'object' ? (value as Loose | null) : null;
  } finally {
    ending.release();
  }
}

/** Servers before 0.6.4 do not list abilities: there the template tells. */
function abilitiesOf(shown: Loose): Abilities {
  const list = Array.isArray(shown.capabilities) ? shown.capabilities : null;
  if (list) return { tools: list.includes('tools'), thinking: list.includes('thinking') };
  return { tools: String(shown.template ?? '').includes('.Tools'), thinking: false };
}

export function createAbilities(base_url: string, deadline_ms = ASK_MS) {
  const known = new Map<string, Abilities>();
  /** null: the server does not say; the chat is tried and tells. */
  async function of(model: string, signal: AbortSignal): Promise<Abilities | null> {
    const found = known.get(model);
    if (found) return found;
    const shown = await ask({
      ...{ url: `${base_url}/api/show`, body: { model }, signal, deadline_ms },
    }).catch(() => null);
    if (shown === null) return null;
    const abilities = abilitiesOf(shown);
    known.set(model, abilities);
    return abilities;
  }
  /** Names of the models of this server, all of them or those that can use tools. */
  async function names(signal: AbortSignal, withTools: boolean): Promise<string[]> {
    const listed = await ask({
      ...{ url: `${base_url}/api/tags`, body: null, signal, deadline_ms },
    }).catch(() => null);
    const rows = Array.isArray(listed?.models) ? (listed.models as Loose[]) : [];
    const all = rows.map((row) => String(row?.name ?? '')).slice(0, MOST_LISTED);
    if (!withTools) return all;
    const found = await Promise.all(all.map((name) => of(name, signal)));
    return all.filter((_, i) => found[i]?.tools);
  }
  return { of, names };
}
