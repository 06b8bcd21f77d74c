// What the Agent Protocol is given: the services behind the native API, and the few things they share.
import type { Clock, Log, Store } from '../../domain/ports.ts';
import type { Role } from '../../domain/role.ts';
import type { Hub } from '../../events/hub.ts';
import type { createQueryService } from '../../queries/service.ts';
import type { Reviews } from '../../reviews/index.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';

export type ProtocolDeps = {
  store: Store;
  hub: Pick<Hub, 'subscribe'>;
  tasks: Pick<Tasks, 'start' | 'update' | 'cancel' | 'bell'>;
  queries: Pick<ReturnType<typeof createQueryService>, 'create' | 'message' | 'cancel'>;
  reviews: Pick<Reviews, 'decide'>;
  webhooks: Pick<Webhooks, 'check' | 'put'>;
  roles: readonly Role[];
  limits: {
    /** Most bytes of what a run is asked. */
    description_limit: number;
    /** Milliseconds between two signs of life in a stream. */
    heartbeat_ms: number;
    /** Bytes that a reader may leave unread. */
    reader_bytes: number;
  };
  version: string;
  clock: Clock;
  log: Log;
};
