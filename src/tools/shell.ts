// shell: runs a command in the working folder. Output, time and everything the command starts are bounded.
// Never reports an end before what it stopped is gone.

import type { Tool, ToolContext, ToolResult } from '../domain/tool.ts';
import { failed, succeeded } from './result.ts';
import { approve } from './shell/approve.ts';
import type { Environment } from './shell/environment.ts';
import { type Exit, type Job, startJob } from './shell/job.ts';
import { createJobs, type Jobs } from './shell/jobs.ts';
import { riskOf } from './shell/risk.ts';
import { onScreen } from './shell/screen.ts';
import type { Straggler } from './shell/stragglers.ts';

type Args = { command: string; timeout_s?: number; background?: boolean };
type End = Exit & { why: 'exit' | 'timeout' | 'abort' };

const stopped = ({ reason }: AbortSignal): string =>
  `stopped: ${reason instanceof Error ? reason.message : 'the run was cancelled'}`;

/** Bytes of a result kept free for what is said about the command. */
const ROOM = 1_500;
const BEAT_MS = 3_000;
/** A command that takes this long beside a job in the background is a wait for it. */
const WAIT_MS = 1_000;
/** A background command that fails at once is reported at once. */
const EARLY_MS = 200;

/** The first of exit, deadline and abort; after the last two everything is gone before it resolves. */
async function settle(job: Job, timeout_ms: number, signal: AbortSignal): Promise<End> {
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const early = new Promise<'timeout' | 'abort'>((resolve) => {
    abort = () => resolve('abort');
    timer = setTimeout(() => resolve('timeout'), timeout_ms);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  });
  const why = await Promise.race([job.exit.then(() => 'exit' as const), early]);
  clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  if (why !== 'exit') await job.stop();
  return { ...(await job.exit), why };
}

type Report = {
  end: End;
  left: Straggler[];
  timeout_s: number;
  command: string;
  signal: AbortSignal;
};

const secondsOf = (job: Job): string => ((performance.now() - job.started) / 1000).toFixed(1);

const exitLine = (end: Exit, seconds: string): string =>
  end.signal !== null
    ? `ended by signal ${end.signal}, after ${seconds} s`
    : `exit code ${end.code}, ${seconds} s`;

function endLine({ end, timeout_s, signal }: Report, seconds: string): string {
  if (end.error !== null) return `the command could not be started: ${end.error}`;
  if (end.why === 'timeout')
    return `timed out after ${timeout_s} s: the command and everything it started were stopped`;
  if (end.why === 'abort') return stopped(signal);
  return exitLine(end, seconds);
}

function report(job: Job, about: Report): ToolResult {
  const { end, left, command } = about;
  const body = onScreen(
    job.output.text(`the whole is in ${job.log}; read it with offset and limit`),
  );
  const said = [endLine(about, secondsOf(job))];
  if (left.length > 0) {
    const names = left.slice(0, 5).map(({ pid, command: c }) => `${c.slice(0, 100)} (pid ${pid})`);
    said.push(
      `${left.length} background process(es) still running: ${names.join(', ')}; they are stopped when this run ends; their output goes to ${job.log}`,
    );
  }
  const content = `${body === '' ? '(no output)' : body.replace(/\n$/, '')}\n[${said.join('; ')}]`;
  const ok = end.why === 'exit' && end.code === 0;
  return {
    ok,
    content,
    summary: succeeded('', `$ ${command}: ${said[0]}`).summary,
    exit_code: end.code,
  };
}

async function inForeground(
  args: Args,
  job: Job,
  ctx: ToolContext,
  jobs: Jobs,
): Promise<ToolResult> {
  const timeout_s = Math.min(args.timeout_s ?? ctx.tool_timeout_s, ctx.tool_timeout_max_s);
  // The command is bounded by its own limit: while it runs, the agent is at work and not blocked.
  const beat = setInterval(() => ctx.progress(`running: ${args.command.slice(0, 100)}`), BEAT_MS);
  const end = await settle(job, Math.min(timeout_s * 1000, 2 ** 31 - 1), ctx.signal).finally(() =>
    clearInterval(beat),
  );
  const waited = jobs.working(ctx.run_id) && performance.now() - job.started >= WAIT_MS;
  const left = end.why === 'exit' ? job.stragglers() : [];
  const result = report(job, { end, left, timeout_s, command: args.command, signal: ctx.signal });
  if (left.length > 0) jobs.keep(ctx.run_id, job);
  else await job.release(job.output.isCut());
  return waited ? { ...result, waited } : result;
}

async function inBackground(
  args: Args,
  job: Job,
  ctx: ToolContext,
  jobs: Jobs,
): Promise<ToolResult> {
  let timer: NodeJS.Timeout | undefined;
  const early = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, EARLY_MS, null);
  });
  const ended = await Promise.race([job.exit, early]);
  clearTimeout(timer);
  if (ended && job.stragglers().length === 0) {
    const result = report(job, {
      end: { ...ended, why: 'exit' },
      left: [],
      timeout_s: 0,
      command: args.command,
      signal: ctx.signal,
    });
    await job.release(job.output.isCut());
    return result;
  }
  if (ctx.signal.aborted) {
    await job.stop();
    await job.release(true);
    return failed(stopped(ctx.signal));
  }
  void job.exit.then((end) => job.note(`[${exitLine(end, secondsOf(job))}]`));
  jobs.keep(ctx.run_id, job);
  return succeeded(
    `started in the background: pid ${job.pid}. Its output goes to ${job.log} (use read, or tail -n 40 ${job.log}); a last line in it says how it ended. Stop it with: kill -- -${job.pid}. It is stopped when this run ends.`,
    `$ ${args.command} & (pid ${job.pid})`,
  );
}

/** `own`: the environment of this process; only PATH, locale and time zone of it reach a command. */
export function createShell(own: Environment): Tool {
  const jobs = createJobs();
  return {
    name: 'shell',
    description:
      'Runs a command with bash, without input; each call begins in the working folder again. Answers with its output, exit code and duration. background: true starts it and answers at once, e.g. for a server or a long build.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, maxLength: 100_000 },
        timeout_s: { type: 'number', minimum: 0.1, description: 'Seconds until it is stopped.' },
        background: { type: 'boolean' },
      },
      required: ['command'],
      additionalProperties: false,
    },
    async run(args, ctx) {
      const asked = args as Args;
      if (asked.command.includes('\0')) return failed('the command contains a NUL byte');
      const risk = riskOf(asked.command);
      const refused = risk === null ? null : await approve(asked.command, risk, ctx);
      if (refused) return refused;
      if (ctx.signal.aborted) return failed(stopped(ctx.signal));
      jobs.open(ctx.run_id);
      const limit = Math.max(1_000, ctx.result_limit - ROOM);
      const job = await startJob(asked.command, ctx, own, limit);
      return (asked.background ? inBackground : inForeground)(asked, job, ctx, jobs);
    },
    endRun: (run_id) => jobs.stopLeftovers(run_id),
  };
}
