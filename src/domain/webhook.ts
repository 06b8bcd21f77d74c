// The outbox of webhooks: what must be told to somebody outside, in the unit of work in which it has happened.

export type Webhook = {
  /** What it is about, e.g. `run:<run_id>`: told once. */
  key: string;
  url: string;
  /** The JSON text that is sent, the same at each try. */
  body: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** RFC 3339; not tried before. */
  next_at: string;
  error: string | null;
  created_at: string;
  updated_at: string;
};

export type WebhookReads = {
  get(key: string): Promise<Webhook | null>;
  /** Pending and due at that time, the longest due first. */
  due(now: string, limit: number): Promise<Webhook[]>;
  /** When the next pending one is due; null: there is none. */
  nextAt(): Promise<string | null>;
};
export type WebhookWrites = WebhookReads & {
  /** A key that is known already is left as it is. */
  put(row: Webhook): Promise<void>;
  patch(key: string, patch: Partial<Webhook>): Promise<void>;
  /** Removes what was delivered or given up before that time. */
  prune(before: string): Promise<void>;
};
