// `troupe doctor`, composed: the checks of cli/doctor with the real configuration, database and model servers.
// Starts no server and leaves nothing behind.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Check, Env } from '../cli/cli.ts';
import {
  checkGit,
  checkNode,
  checkNpmScripts,
  checkRipgrep,
  checkSqlite,
} from '../cli/doctor/machine.ts';
import { checkPort, checkStateDir } from '../cli/doctor/place.ts';
import type { Loaded } from '../config/load.ts';
import { AppError } from '../domain/errors.ts';
import { silentLog, systemClock } from '../domain/ports.ts';

export type ExamineAsk = {
  env: Env;
  cwd: string;
  home: string;
  load(): Promise<Loaded>;
};

/** A provider or server that does not answer in this time is not reachable for a person either. */
const PROBE_MS = 5_000;

const message = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** A database of its own, in a folder of its own, opened as the server opens it. */
async function openDatabaseOnce(): Promise<void> {
  const { openDatabase } = await import('../store/sqlite/database.ts');
  const folder = mkdtempSync(join(tmpdir(), 'troupe-doctor-'));
  try {
    openDatabase({ file: join(folder, 'check.db'), log: silentLog }).close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function packagedRipgrep(): Promise<string | null> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    return null;
  }
}

/** Who holds the database in this folder, or null. The lock is taken for a moment to find out. */
async function ownerOf(folder: string): Promise<string | null> {
  const mutex = readdirSync(folder).find((name) => name.endsWith('.mutex'));
  if (mutex === undefined) return null;
  try {
    const { takeLock } = await import('../store/sqlite/lock.ts');
    const file = join(folder, mutex.slice(0, -'.mutex'.length));
    takeLock({ file, log: silentLog, clock: systemClock }).release();
    return null;
  } catch (error) {
    return message(error);
  }
}

/** A troupe server answers there: with its status, or asking for its key. */
async function isTroupe(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${name}:${port}/v1/status`, {
      signal: AbortSignal.timeout(PROBE_MS),
    });
    const body = (await answer.json()) as { type?: unknown };
    return answer.ok || String(body.type).startsWith('urn:troupe:');
  } catch {
    return false;
  }
}

/** The addresses that list models, by provider; one that is not here is asked when it is first used. */
function modelList(model: string, { config }: Loaded): { url: string; key: string | null } | null {
  const { openai, openrouter, anthropic, ollama } = config.models;
  const lists: Record<string, { url: string; key: string | null }> = {
    openai: { url: `${openai.base_url}/models`, key: openai.api_key ?? openai.api_keys[0] ?? null },
    openrouter: {
      url: `${openrouter.base_url}/models`,
      key: openrouter.api_key ?? openrouter.api_keys[0] ?? null,
    },
    anthropic: {
      url: `${anthropic.base_url}/models`,
      key: anthropic.api_key ?? anthropic.api_keys[0] ?? null,
    },
    ollama: { url: `${ollama.base_url}/api/tags`, key: null },
  };
  return lists[model.split(':', 1)[0] ?? ''] ?? null;
}

async function checkModel(loaded: Loaded): Promise<Check> {
  const { choose, HOW_TO_SET, KEYED, keysOf, needsProbe } = await import('../models/choose.ts');
  const { probeLocal } = await import('../models/local-servers.ts');
  const { config, sources } = loaded;
  const named = config.models.default;
  const facts = {
    explicit:
      named === null
        ? null
        : { model: named, from: sources.get('models.default') ?? 'configuration' },
    keys: KEYED.map((k) => k.provider).filter((p) => keysOf(config.models[p]).length > 0),
  };
  const local = needsProbe(facts) ? await probeLocal(config.models.ollama.base_url) : null;
  const { model, why } = choose({ ...facts, local });
  const found = `${model} (${why})`;
  if (model === 'offline' && named === null)
    return { name: 'model', level: 'warn', found: `offline rules (${why})`, fix: HOW_TO_SET };
  const list = modelList(model, loaded);
  if (list === null) return { name: 'model', level: 'ok', found, fix: '' };
  try {
    const headers: Record<string, string> =
      list.key === null
        ? {}
        : model.startsWith('anthropic:')
          ? { 'x-api-key': list.key, 'anthropic-version': '2023-06-01' }
          : { authorization: `Bearer ${list.key}` };
    const { status } = await fetch(list.url, { headers, signal: AbortSignal.timeout(PROBE_MS) });
    if (status === 401 || status === 403)
      return {
        name: 'model',
        level: 'fail',
        found: `${found}: the key is refused`,
        fix: 'set a valid key',
      };
    return { name: 'model', level: 'ok', found: `${found}, reachable`, fix: '' };
  } catch {
    const url = new URL(list.url);
    return {
      name: 'model',
      level: 'fail',
      found: `${found}: no answer from ${url.origin}`,
      fix: 'check the address and the network, or name another model with TROUPE_MODEL',
    };
  }
}

/** What depends on a good configuration. */
async function checkServing(loaded: Loaded): Promise<Check[]> {
  const { host, port, state_dir } = loaded.config.server;
  return [
    await checkPort({ host, port }, () => isTroupe(host, port)),
    await checkStateDir(state_dir, () => ownerOf(state_dir)),
    await checkModel(loaded),
  ];
}

export async function examine({ env, cwd, home, load }: ExamineAsk): Promise<Check[]> {
  const checks = [
    checkNode(process.version),
    await checkSqlite(openDatabaseOnce),
    checkRipgrep(await packagedRipgrep(), env),
    checkGit(env),
    checkNpmScripts(env, { cwd, home }),
  ];
  try {
    const loaded = await load();
    const found = loaded.file ?? 'no file: defaults and environment';
    checks.push({ name: 'configuration', level: 'ok', found, fix: '' });
    return [...checks, ...(await checkServing(loaded))];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
    const fix = 'correct it; `troupe config check` tells when it is good';
    return [...checks, { name: 'configuration', level: 'fail', found: error.message, fix }];
  }
}
