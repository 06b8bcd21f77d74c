// The protocols that are spoken beside the native API, on the same port and behind the same door.
import type { Loaded } from '../config/load.ts';
import type { Clock, Log, Store } from '../domain/ports.ts';
import type { Hub } from '../events/hub.ts';
import { agentProtocolOff, createAgentProtocol } from '../facades/agent-protocol/index.ts';
import type { App } from '../http/context.ts';
import { HTTP_LIMITS } from '../http/limits.ts';
import { createWebhooks } from '../webhooks/index.ts';
import { webhookSecret } from './webhook-secret.ts';
import type { Work } from './work.ts';

export type FacadesDeps = {
  loaded: Loaded;
  store: Store;
  hub: Hub;
  work: Work;
  version: string;
  clock: Clock;
  log: Log;
};
export type Facades = {
  mounts: ((app: App) => void | Promise<void>)[];
  /** Takes up what the process before has left. */
  open(): Promise<void>;
  close(): void;
};

export function openFacades({ loaded, work, ...deps }: FacadesDeps): Facades {
  const { config, roles } = loaded;
  const webhooks = createWebhooks({
    ...{ store: deps.store, clock: deps.clock, log: deps.log },
    allow: config.facades.webhook_allow,
    secret: webhookSecret(config.server.state_dir, config.facades.webhook_secret),
  });
  if (!config.facades.agent_protocol)
    return {
      mounts: [(app) => agentProtocolOff(app as never)],
      open: webhooks.open,
      close: webhooks.close,
    };
  const protocol = createAgentProtocol({
    ...deps,
    tasks: work.tasks,
    queries: work.queries,
    reviews: work.reviews,
    webhooks,
    roles,
    limits: {
      description_limit: config.limits.description_limit,
      heartbeat_ms: HTTP_LIMITS.heartbeat_ms,
      reader_bytes: HTTP_LIMITS.reader_bytes,
    },
  });
  return {
    mounts: [(app) => protocol.mount(app as never)],
    async open() {
      await webhooks.open();
      await protocol.open();
    },
    close() {
      protocol.close();
      webhooks.close();
    },
  };
}
