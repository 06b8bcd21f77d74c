// The server, composed: everything that main is made of, put together in the order in which it may begin to work,
// and taken apart in the reverse order. Handles no signals: whoever calls does.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretValues } from '../config/describe.ts';
import { type Loaded, loadConfig } from '../config/load.ts';
import { formatProblems } from '../config/problem.ts';
import { AppError } from '../domain/errors.ts';
import { newRequestId } from '../domain/ids.ts';
import { maskedHost } from '../domain/masked-host.ts';
import { type Log, systemClock } from '../domain/ports.ts';
import type { RunHost } from '../domain/run.ts';
import { createHub } from '../events/hub.ts';
import { createEventLog } from '../events/log.ts';
import { createIdempotency } from '../http/idempotency-rows.ts';
import { createHttpServer } from '../http/server.ts';
import { siteRoutes } from '../http/site.ts';
import { createRetention } from '../queries/retention.ts';
import { createRetiredFiles } from '../queries/retired-files.ts';
import { createBackups } from '../store/sqlite/backup.ts';
import { openDatabase } from '../store/sqlite/database.ts';
import { createStore } from '../store/sqlite/store.ts';
import { createInternalServer } from '../wire/parent-end.ts';
import { announce } from './announce.ts';
import { writeEventLines } from './event-log-lines.ts';
import { openFacades } from './facades.ts';
import { apiKeys, createServices } from './http-services.ts';
import { sweepBefore } from './instance.ts';
import { ensureKeyFile } from './key-file.ts';
import { createLog, createMask } from './log.ts';
import { chooseModel, openGateway, openSpending } from './models.ts';
import { openRoleServers } from './role-servers.ts';
import { ensureFolder } from './state-folder.ts';
import { openWork } from './work.ts';

export type ServeAsk = {
  env: Record<string, string | undefined>;
  flags: Readonly<Record<string, string | number | boolean | undefined>>;
  cwd: string;
  home: string;
  packageRoot: string;
  stdout: { write(text: string): unknown };
};
export type Serving = {
  url: string;
  /** Stops everything in order; `done` resolves with the exit code. */
  close(): Promise<void>;
  done: Promise<number>;
};

/** Events kept in memory for readers that are nearly up to date. */
const RING = 10_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Rejects with an AppError whose message a person can act on; whatever had been opened is closed again. */
export async function startServer(ask: ServeAsk): Promise<Serving> {
  const keyFile = ensureKeyFile(ask.env, ask.cwd);
  const loaded = loadConfig(ask);
  const secrets = secretValues(loaded);
  const mask = createMask(secrets);
  // Files of users are full of what only looks like a key: agents get them as they are.
  const known = createMask(secrets, []);
  const log = createLog(loaded.config.server.log_level, mask);
  if (loaded.warnings.length > 0) log.warn({}, formatProblems(loaded.warnings));
  const opened: (() => Promise<void> | void)[] = [];
  try {
    return await open(ask, loaded, { log, mask, known, keyFile, opened });
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

type Base = {
  log: Log;
  mask: (text: string) => string;
  /** Known secrets only. */
  known: (text: string) => string;
  keyFile: string | null;
  opened: (() => Promise<void> | void)[];
};

async function open(ask: ServeAsk, loaded: Loaded, base: Base): Promise<Serving> {
  const { log, mask, opened } = base;
  const guardHost = <H extends RunHost | null>(host: H): H =>
    (host && maskedHost(host, base.known)) as H;
  const { config } = loaded;
  const clock = systemClock;
  const version = versionOf(ask.packageRoot);
  const instance = newRequestId();
  ensureFolder(config.server.state_dir);
  const { state_dir } = config.server;
  const used = existsSync(join(state_dir, 'instance'));
  const database = openDatabase({ file: join(state_dir, 'troupe.db'), used, log });
  const store = createStore({ database, log, clock });
  opened.push(() => store.close());
  await sweepBefore(config.server.state_dir, instance, log);

  const hub = createHub({ reads: store.reads, ringSize: RING, log });
  const eventLog = createEventLog({ store, log });
  eventLog.listen(hub.publish);
  eventLog.listen(writeEventLines(log));
  const spending = openSpending(loaded, { store, log, clock });
  await spending.open();
  const gateway = openGateway(loaded, await chooseModel(loaded), { store, spending, log, clock });
  const internal = createInternalServer({
    hostFor: (token) => guardHost(work.tasks.hostOf(token)),
    onHeard(token) {
      const server_id = work.tasks.serverOf(token);
      if (server_id !== null) supervisor.heard(server_id);
    },
    log,
  });
  const internalUrl = await internal.listen();
  opened.push(() => internal.close());
  const supervisor = openRoleServers({
    loaded,
    instance,
    worker_file: join(ask.packageRoot, 'dist', 'bin', 'worker.js'),
    env: ask.env,
    main_url: () => internalUrl,
    hostFor: (token) => guardHost(work.tasks.patientHostOf(token)),
    emit: (event) =>
      void store
        .soon((t) => t.events.append(event))
        .catch((error: unknown) =>
          log.warn({ err: error, event: event.state }, 'event not recorded'),
        ),
    mask,
    log,
    clock,
  });
  opened.push(() => supervisor.close());
  const [newest] = (await store.reads.queries.list({ limit: 1, cursor: null })).data;
  const work = openWork({
    ...{ loaded, store, supervisor, gateway, instance, env: ask.env, mask, guardHost, log, clock },
    newest: newest?.workdir ?? null,
  });
  opened.push(() => work.close());
  eventLog.listen(work.reviews.follow);

  const backups = createBackups({ file: database.file, clock, log });
  opened.push(() => backups.close());
  const files = createRetiredFiles(config.server.state_dir);
  const { gc } = createRetention({ store, files, clock, log });

  let draining = false;
  const idempotency = createIdempotency({ store, clock });
  const services = createServices({
    loaded,
    store,
    hub,
    supervisor,
    gateway,
    spending,
    work,
    upkeep: { gc, backups },
    version,
    instance,
    draining: () => draining,
  });
  const facades = openFacades({ loaded, store, hub, work, version, clock, log });
  opened.push(() => facades.close());
  const http = createHttpServer({
    services,
    idempotency,
    config: {
      host: config.server.host,
      port: config.server.port,
      api_keys: apiKeys(config.server.api_key),
      allowed_hosts: config.server.allowed_hosts,
      allowed_origins: config.server.allowed_origins,
      body_limit: config.limits.body_limit,
    },
    log,
    version,
    mounts: [...facades.mounts, (app) => siteRoutes(app, join(ask.packageRoot, 'dist', 'web'))],
    clock,
  });
  await work.reviews.load();
  for (const warning of await work.prompts.load()) log.warn({}, warning);
  await work.tasks.recover(config.subagents.recovery);
  const address = await http.listen().catch((error: unknown) => {
    throw listenError(error, config.server.host, config.server.port);
  });
  opened.push(() => http.close());
  const prune = setInterval(() => void idempotency.prune().catch(() => {}), PRUNE_EVERY_MS);
  prune.unref();
  opened.push(() => clearInterval(prune));
  await work.begin();
  await facades.open();

  const url = `http://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  announce(ask.stdout, { url, loaded, chosen: gateway.chosen(), keyFile: base.keyFile });
  log.info({ url, instance, version, main_pid: process.pid }, 'listening');

  let finish: (code: number) => void = () => {};
  const done = new Promise<number>((resolve) => (finish = resolve));
  let closing: Promise<void> | null = null;
  return {
    url,
    done,
    close() {
      closing ??= (async () => {
        draining = true;
        log.info({}, 'shutting down');
        let code = 0;
        // Readers are told first and new work is refused; rows stay as they are for the next start.
        for (const close of opened.reverse())
          try {
            await close();
          } catch (error) {
            log.error({ err: error }, 'a part did not close');
            code = 1;
          }
        hub.close();
        finish(code);
      })();
      return closing;
    },
  };
}

function versionOf(packageRoot: string): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version;
}

function listenError(error: unknown, host: string, port: number): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  const other = 'choose another with TROUPE_PORT or --port (0 = any free one)';
  if (code === 'EADDRINUSE')
    return new AppError(
      'config_invalid',
      `port ${port} on ${host} is in use by another program; ${other}`,
    );
  if (code === 'EACCES')
    return new AppError('config_invalid', `port ${port} may not be used by this user; ${other}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new AppError(
      'config_invalid',
      `"${host}" is not an address of this machine; set TROUPE_HOST`,
    );
  return error;
}
