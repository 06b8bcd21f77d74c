// Prompts that are changed while the server runs. A change holds for runs that begin after it; a run that is at work,
// or is resumed, keeps the prompt it began with.
import { AppError } from '../domain/errors.ts';
import type { Store, Tx } from '../domain/ports.ts';
import {
  MAIN,
  PROMPT_LIMIT,
  type PromptOverride,
  type RolePrompt,
} from '../domain/prompt-override.ts';
import type { Role } from '../domain/role.ts';

export type RolePromptsDeps = {
  store: Store;
  roles: ReadonlyMap<string, Role>;
  /** The main agent's whole prompt with this addition, and what does not agree in it. */
  main(addition: string | null): { text: string; warnings: string[] };
};

export function createRolePrompts({ store, roles, main }: RolePromptsDeps) {
  // What reads of the API show; runs read the table in their own unit of work.
  const newest = new Map<string, PromptOverride>();

  function defaultOf(name: string): string {
    if (name === MAIN) return main(null).text;
    const role = roles.get(name);
    if (role) return role.system_prompt;
    throw new AppError(
      'not_found',
      `there is no role "${name}"; prompts of: ${[MAIN, ...roles.keys()].join(', ')}`,
    );
  }

  function get(name: string): RolePrompt {
    const text = defaultOf(name);
    const row = newest.get(name);
    const override = row?.prompt ?? null;
    const whole = main(name === MAIN ? override : null);
    return {
      role: name,
      mode: name === MAIN ? 'append' : 'replace',
      default: text,
      override,
      effective: name === MAIN ? whole.text : (override ?? text),
      updated_at: row?.at ?? null,
      warnings: name === MAIN ? whole.warnings : [],
    };
  }

  function check(prompt: string): void {
    const refuse = (message: string): never => {
      throw new AppError('bad_request', `prompt ${message}`, {
        errors: [{ path: '/prompt', message }],
      });
    };
    const bytes = Buffer.byteLength(prompt);
    if (prompt.trim() === '') refuse('is empty; DELETE goes back to the default');
    if (bytes > PROMPT_LIMIT) refuse(`has ${bytes} bytes; at most ${PROMPT_LIMIT} are allowed`);
  }

  async function write(name: string, prompt: string | null): Promise<RolePrompt> {
    const { mode } = get(name);
    const row = await store.tx(async (t) => {
      const made = await t.prompts.set(name, prompt);
      const how = mode === 'append' ? 'has an addition' : 'was replaced';
      const bytes = prompt === null ? 0 : Buffer.byteLength(prompt);
      const now = prompt === null ? 'is the default again' : `${how} (${bytes} bytes)`;
      const what = { kind: 'notice', state: 'prompt_changed', role: name } as const;
      const data = { bytes, mode, reset: prompt === null };
      await t.events.append({ ...what, detail: `the prompt of ${name} ${now}`, data });
      return made;
    });
    if ((newest.get(name)?.revision ?? 0) < row.revision) newest.set(name, row);
    return get(name);
  }

  return {
    /** Reads what was changed before; call once, before anything is served. Answers what does not agree. */
    async load(): Promise<string[]> {
      for (const row of await store.reads.prompts.all()) newest.set(row.role, row);
      return newest.get(MAIN)?.prompt ? get(MAIN).warnings : [];
    },
    /** Throws AppError not_found for an unknown role. */
    get,
    /** Durable when it resolves. */
    async set(name: string, prompt: string): Promise<RolePrompt> {
      defaultOf(name);
      check(prompt);
      return write(name, prompt);
    },
    reset: (name: string): Promise<RolePrompt> => write(name, null),
  };
}

/** The prompt that a run has, by the revision that was the newest when it began; null: the default. */
export type RunPrompt = { prompt: string | null; revision: number };

/** `began`: the revision that the run began with; undefined: it begins now. */
export async function promptOfRun(
  t: Pick<Tx, 'prompts'>,
  role: string,
  began: number | undefined,
): Promise<RunPrompt> {
  const row =
    began === undefined ? await t.prompts.latest(role) : await t.prompts.asOf(role, began);
  return { prompt: row?.prompt ?? null, revision: began ?? row?.revision ?? 0 };
}
