// A recorded story of a role on the built product: a small repository, a request with it as working folder, and a
// model server that plays the recorded steps. A step is played only when what it waits for has really been sent.
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { QueryStatus } from '../../src/domain/query.ts';
import { type ChatAnswer, type ChatRequest, startProvider } from './fake-provider.ts';
import { tempFolder } from './temp-folder.ts';
import { startTroupe, type TaskView } from './troupe-server.ts';
import { until } from './until.ts';

type Args = Record<string, unknown>;
/** What a person would have seen in the log of the model, one step after the other. */
export type Step = {
  /** All of these stand in what was sent since the last step, or the story is broken. */
  sees?: (string | RegExp)[];
  /** None of these does. */
  lacks?: string[];
  /** Text of the answer. */
  says?: string | ((sent: string) => string);
  /** Tools that it calls: name and arguments, which may depend on what was sent. */
  calls?: [tool: string, args: Args | ((sent: string) => Args)][];
};
export type Story = {
  /** Files of the repository. */
  files: Record<string, string>;
  /** The request of the user. */
  input: string;
  /** The steps of each agent by its role. Without steps for main it starts `role` with the request. */
  steps: Record<string, Step[]>;
  /** More of config.toml. */
  config?: string;
};

type Query = { query_id: string; status: QueryStatus; answer: string | null };

export const repository = (files: Record<string, string>): string => {
  const folder = realpathSync(tempFolder());
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
};

/** Every file with its text, without what the product keeps for itself. */
export const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => !path.startsWith('.troupe/'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

/** A program in the folder, in an environment of its own: its exit code and all that it said. */
export const runIn = (folder: string, ...args: string[]): Promise<{ code: number; out: string }> =>
  new Promise((resolve) => {
    const env = { PATH: process.env.PATH };
    const child = execFile(
      process.execPath,
      args,
      { cwd: folder, env, timeout: 30_000 },
      (_, a, b) => resolve({ code: child.exitCode ?? -1, out: a + b }),
    );
  });

/** What an agent has been sent since its last answer. */
function newest({ messages }: ChatRequest): string {
  const last = messages.findLastIndex((m) => m.role === 'assistant');
  return messages
    .slice(last + 1)
    .map((m) => m.content ?? '')
    .join('\n');
}

const broken = (why: string, sent: string): string => `${why}; what was sent:\n${sent}`;

function play(step: Step, request: ChatRequest): ChatAnswer | string {
  const sent = newest(request);
  for (const one of step.sees ?? [])
    if (typeof one === 'string' ? !sent.includes(one) : !one.test(sent))
      return broken(`${one} is missing`, sent);
  for (const one of step.lacks ?? [])
    if (sent.includes(one)) return broken(`${one} is there`, sent);
  const text = typeof step.says === 'function' ? step.says(sent) : (step.says ?? '');
  if (!step.calls) return { text };
  const calls = step.calls.map(([call, args]) => ({
    call,
    args: JSON.stringify(typeof args === 'function' ? args(sent) : args),
  }));
  return { text, calls };
}

/** Main as it is in most stories: it hands the request to one role and passes its result on. */
const passOn = (role: string, input: string): Step[] => [
  { calls: [['start_async_task', { subagent_type: role, description: input }]] },
  { sees: [`subagent_type: ${role}`], says: 'I wait for it.' },
  { sees: ['completed'], says: `The ${role} has done it.` },
];

const OVER = ['completed', 'degraded', 'failed', 'cancelled'];

/** Plays it to its end. Fails with the step that was not reached as recorded, and what was sent instead. */
export async function tell(story: Story) {
  const folder = repository(story.files);
  const role = Object.keys(story.steps)[0] ?? '';
  const steps: Record<string, Step[]> = { main: passOn(role, story.input), ...story.steps };
  const problems: string[] = [];
  const played = new Map<string, number>();
  const provider = await startProvider((request) => {
    const who = /^role: (\S+)/.exec(request.messages[0]?.content ?? '')?.[1] ?? '';
    // The place in the script is in the thread itself: a run that goes on elsewhere goes on in the story too.
    const at = request.messages.filter((m) => m.role === 'assistant').length;
    const step = steps[who]?.[at];
    played.set(who, Math.max(played.get(who) ?? 0, at + 1));
    const said = step ? play(step, request) : broken('there is no such step', newest(request));
    if (typeof said !== 'string') return said;
    problems.push(`${who}, step ${at + 1}: ${said}`);
    return { text: 'the story is broken' };
  });
  const troupe = await startTroupe({
    config: `[server]\nworkspace_roots = [${JSON.stringify(dirname(folder))}]\n${story.config ?? ''}`,
    env: {
      TROUPE_MODEL: 'openai:story',
      OPENAI_API_KEY: 'sk-story',
      OPENAI_BASE_URL: provider.url,
    },
  });
  const { query_id } = await troupe.call<Query>('POST', '/v1/queries', {
    ...{ input: story.input, workdir: folder, review: 'off' },
  });
  const query = await until(
    async () => {
      const seen = await troupe.call<Query>('GET', `/v1/queries/${query_id}?wait_ms=20000`);
      return OVER.includes(seen.status) && seen;
    },
    50_000,
    'the end of the story',
  );
  expect(problems).toEqual([]);
  expect(query.status).toBe('completed');
  for (const [who, all] of Object.entries(steps))
    expect([who, played.get(who)]).toEqual([who, all.length]);
  const tasks = (
    await troupe.call<{ data: TaskView[] }>('GET', `/v1/tasks?query_id=${query_id}`)
  ).data.reverse();
  const prompted = (who: string): ChatRequest | undefined =>
    provider.requests.find((r) => r.messages[0]?.content?.startsWith(`role: ${who}\n`));
  return {
    ...{ troupe, folder, query, tasks },
    /** The result of the first task: what the role has answered. */
    result: tasks[0]?.result ?? '',
    files: () => filesOf(folder),
    at: (path: string) => readFileSync(join(folder, path), 'utf8'),
    exists: (path: string) => existsSync(join(folder, path)),
    /** Paths that are new or have another text than before. */
    changed: () =>
      Object.entries(filesOf(folder))
        .filter(([path, text]) => story.files[path] !== text)
        .map(([path]) => path),
    run: (...args: string[]) => runIn(folder, ...args),
    /** Names of the tools that the role was offered. */
    offered: (who: string) => (prompted(who)?.tools ?? []).map((t) => t.function.name),
    prompt: (who: string) => prompted(who)?.messages[0]?.content ?? '',
  };
}
