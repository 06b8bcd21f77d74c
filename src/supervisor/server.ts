// One role server's life, from its turn to start until everything of it is gone. One async function lives it and
// is the only writer of its state; everybody else leaves a letter (stop, kill) and awaits `ready` or `gone`.
import { AppError, toFailure } from '../domain/errors.ts';
import type { NewEvent } from '../domain/event.ts';
import { newToken, uuidv7 } from '../domain/ids.ts';
import type { Clock, RoleServer, ServerExit, ServerState } from '../domain/ports.ts';
import type { Role } from '../domain/role.ts';
import { lastWords } from '../domain/text.ts';
import type { Launched, RawExit } from '../launch/launcher.ts';
import { type HealthRules, watchHealth } from './health.ts';
import { ownFault } from './policy.ts';
import { type StartDeps, startServer } from './start.ts';

export type ServerRules = HealthRules & {
  /** From the moment a start gets its turn until the identity is proven. */
  start_timeout_ms: number;
  /** A stopped server may finish its runs for this long; then it is killed. */
  drain_ms: number;
  /** At the shutdown of main runs get this long to reach a checkpoint; they go on at the next start. */
  leave_ms: number;
  /** An end within this after ready is a quick exit. */
  stable_ms: number;
};
export type ServerDeps = Omit<StartDeps, 'start_timeout_ms'> & {
  rules: ServerRules;
  clock: Clock;
  emit: (event: NewEvent) => void;
  /** Called once, before anybody who waits for `ready` or `gone` is told: the books are right when they act. */
  onGone: (gone: Gone) => void;
};
export type ServerAsk = {
  role: Role;
  instance: number;
  port: number;
  /** What has to be gone before this one may start. */
  after: Promise<unknown> | null;
};
export type Gone = {
  exit: ServerExit;
  /** The same for people, with its last words. */
  text: string;
  /** Nobody asked for it, and it came before ready or shortly after. */
  quick: boolean;
  /** Its own doing, not a signal from outside and not our decision. */
  own_fault: boolean;
  /** It has been ready: runs may have been in it. */
  server: RoleServer | null;
};
export type ServerLife = {
  server_id: string;
  role: Role;
  instance: number;
  state(): ServerState;
  /** Rejects with the named failure of the start. */
  ready: Promise<RoleServer>;
  /** Resolves once, when the process and all that it started are gone. */
  gone: Promise<Gone>;
  facts(): { pid: number | null; port: number | null; endpoint: string | null; started_at: Date };
  /** Something was heard from it. */
  heard(): void;
  /** Finish what runs, then leave; an unfinished start is aborted. */
  stop(reason: string): void;
  kill(reason: string): void;
};
type Settle = (result: RoleServer | Error) => void;
/** `leave`: main itself is going, nobody waits for what runs. */
type Letter = { kind: 'stop' | 'leave' | 'kill'; reason: string; own_fault: boolean };
const URGENCY = { stop: 1, leave: 2, kill: 3 };

export function createServer(deps: ServerDeps, ask: ServerAsk): ServerLife {
  const { clock, rules, emit } = deps;
  const server_id = uuidv7();
  const label = `${ask.role.name} role server`;
  const starting = new AbortController();
  let state: ServerState = 'starting';
  let pid: number | null = null;
  let launched: Launched | null = null;
  let last_sign = 0;
  let letter: Letter | null = null;
  const mail = createBell();
  const started_at = clock.now();
  const began = clock.mono();

  function post(kind: Letter['kind'], reason: string, own_fault = false): void {
    // The first letter gives the reason; only a more urgent one may follow it.
    if (letter !== null && URGENCY[letter.kind] >= URGENCY[kind]) return;
    letter = { kind, reason: letter?.reason ?? reason, own_fault };
    const code = reason === 'shutdown' ? 'shutting_down' : 'cancelled';
    starting.abort(new AppError(code, `the start of the ${label} was aborted: ${reason}`));
    mail.ring();
  }
  const say = (name: string, detail: string, data: object = {}): void =>
    emit({
      kind: 'server',
      state: name,
      detail,
      role: ask.role.name,
      data: { server_id, instance: ask.instance, pid, port: launched?.port ?? null, ...data },
    });

  async function live(settle: Settle): Promise<Gone> {
    try {
      launched = await startServer(
        { ...deps, ...rules },
        {
          ...ask,
          server_id,
          abort: starting,
          onSpawn: (its) => {
            pid = its;
            say('spawned', `${label} spawned`);
          },
        },
      );
    } catch (error) {
      // Not wanted any more: told at once, but its seat is kept until the one before it has left it.
      if (letter !== null) settle(error as Error);
      await ask.after;
      return failedStart(error, settle);
    }
    const own = launched;
    const since = clock.mono();
    state = 'ready';
    const server = asServer(own, ask, server_id);
    say(own.proves ? 'ready' : 'attached', `${label} is ready`, {
      took_ms: Math.round(since - began),
    });
    settle(server);
    const unwatch = !own.proves
      ? () => {}
      : watchHealth({
          rules,
          clock,
          probe: (ms) => own.client.health(newToken(), ms),
          lastSign: () => last_sign,
          onHung: () => post('kill', 'server_hung', true),
        });
    // A letter may have come before anybody waited for one.
    if (letter === null) await Promise.race([own.exited, mail.wait()]);
    unwatch();
    if (letter !== null) {
      state = 'draining';
      say('stopping', `${label} is stopping: ${letter.reason}`, { reason: letter.reason });
      await leave(own);
    }
    return ended(await own.exited, server, clock.mono() - since);
  }

  /** Stops or kills it; a more urgent letter that comes meanwhile shortens it. */
  async function leave(own: Launched): Promise<void> {
    for (let gone = false; !gone; ) {
      if (letter?.kind === 'kill') return own.kill();
      const stopped = own.stop(rules.drain_ms, letter?.kind === 'leave' ? rules.leave_ms : null);
      gone = await Promise.race([stopped.then(() => true), mail.wait().then(() => false)]);
    }
  }

  function ended(raw: RawExit, server: RoleServer, lived_ms: number): Gone {
    const asked = letter;
    const reason = asked?.reason ?? howEnded(raw);
    const exit: ServerExit = { ...raw, reason };
    const crashed = asked === null || asked.own_fault;
    state = crashed ? 'crashed' : 'stopped';
    say(state, `${label} ${crashed ? `is gone (${describe(exit)})` : `stopped: ${reason}`}`, exit);
    return close({
      exit,
      text: describe(exit) + said(exit),
      quick: crashed && lived_ms < rules.stable_ms,
      own_fault: asked?.own_fault ?? ownFault(raw),
      server,
    });
  }

  function failedStart(error: unknown, settle: Settle): Gone {
    const failure = toFailure(error);
    const data = error instanceof AppError ? error.data : {};
    const exit: ServerExit = {
      code: (data.code as number | undefined) ?? null,
      signal: (data.signal as string | undefined) ?? null,
      reason: letter?.reason ?? failure.code,
      stderr_tail: (data.stderr_tail as string | undefined) ?? '',
    };
    state = letter === null ? 'crashed' : 'stopped';
    if (letter === null) say('failed_start', `${label}: ${failure.message}`, exit);
    else say('stopped', `the start of the ${label} was aborted: ${exit.reason}`, exit);
    const quick = letter === null;
    const gone = close({ exit, text: failure.message, quick, own_fault: quick, server: null });
    settle(error instanceof Error ? error : new AppError('internal', failure.message));
    return gone;
  }
  function close(gone: Gone): Gone {
    deps.onGone(gone);
    return gone;
  }

  let settle: Settle = () => {};
  const ready = new Promise<RoleServer>((resolve, reject) => {
    settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
  });
  ready.catch(() => {}); // whoever claimed it hears of it; nobody may have
  return {
    server_id,
    role: ask.role,
    instance: ask.instance,
    // From the letter or its end on nobody is sent here any more, whatever it is doing.
    state: () =>
      (letter !== null || launched?.alive() === false) &&
      (state === 'ready' || state === 'starting')
        ? 'draining'
        : state,
    ready,
    gone: live(settle),
    facts: () => ({
      pid,
      port: launched?.port ?? null,
      endpoint: launched?.endpoint ?? null,
      started_at,
    }),
    heard: () => {
      last_sign = clock.mono();
    },
    stop: (reason) => post(reason === 'shutdown' ? 'leave' : 'stop', reason),
    kill: (reason) => post('kill', reason),
  };
}

const asServer = (own: Launched, ask: ServerAsk, server_id: string): RoleServer => ({
  role: ask.role.name,
  instance: ask.instance,
  server_id,
  pid: own.pid,
  port: own.port,
  endpoint: own.endpoint,
  client: own.client,
});

/** Node says so itself before it gives up; a kill by the kernel looks like any other. */
const OUT_OF_MEMORY = /heap out of memory|Array buffer allocation failed|out of memory/i;
const howEnded = ({ signal, stderr_tail }: RawExit): string => {
  if (OUT_OF_MEMORY.test(stderr_tail)) return 'oom_suspected';
  return signal === null ? 'exited' : 'killed';
};

const describe = ({ code, signal, reason }: ServerExit): string =>
  reason === 'exited' || reason === 'killed'
    ? signal === null
      ? `exit code ${code}`
      : `signal ${signal}`
    : reason;

const said = ({ stderr_tail }: ServerExit): string =>
  stderr_tail === '' ? '' : `; it said: ${lastWords(stderr_tail)}`;

/** Wakes whoever waits, each time it rings. */
function createBell(): { ring(): void; wait(): Promise<void> } {
  let waiters: (() => void)[] = [];
  return {
    ring() {
      for (const wake of waiters.splice(0)) wake();
    },
    wait: () =>
      new Promise((resolve) => {
        waiters = [...waiters, resolve];
      }),
  };
}
