// Every deadline and bound of the HTTP surface, in one place. Tests shorten them; nothing else does.

export const HTTP_LIMITS = {
  /** A client that needs longer than this for its headers, or for its whole request, is cut off. */
  headers_ms: 15_000,
  request_ms: 30_000,
  /** A connection on which nothing moves; longer than the longest wait that a caller may ask for. */
  idle_ms: 90_000,
  /** Longer than the 60 s of common proxies, so that the proxy closes first and never meets a dead socket. */
  keep_alive_ms: 65_000,
  /** How often Node looks for late requests. */
  check_ms: 5_000,
  max_connections: 4_096,
  json_depth: 64,
  /** Longest `Prefer: wait` and `wait_ms`. */
  wait_ms: 60_000,
  /** Under the idle limit of common proxies, and short enough that a dead reader shows soon. */
  heartbeat_ms: 5_000,
  /** Unsent bytes that one reader of events may have before it gets `resync`. */
  reader_bytes: 256 * 1024,
  /** A replay that has paused goes on below this. */
  replay_bytes: 64 * 1024,
  /** Pause before a client reconnects, told to it in the stream. */
  retry_ms: 2_000,
  /** Time a reader has to take the last words before its connection is cut. */
  farewell_ms: 3_000,
  /** Time that requests under way get when the server closes. */
  close_ms: 2_000,
  ws_payload: 64 * 1024,
  /** Time for the first message of a WebSocket that has not shown a key yet. */
  ws_auth_ms: 5_000,
  ws_subscriptions: 64,
  /** Wrong keys from one address in a minute before the answer is 429. */
  bad_keys_per_minute: 30,
} as const;

export type HttpLimits = { readonly [K in keyof typeof HTTP_LIMITS]: number };

export type Scope = 'read' | 'run' | 'approve' | 'admin';
export const SCOPES = ['read', 'run', 'approve', 'admin'] as const satisfies readonly Scope[];

/** A key as it is stored: never its text. `admin` includes every scope. */
export type ApiKey = { name: string; sha256: string; scopes: readonly Scope[] };

export type HttpConfig = {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Empty: everybody who reaches the port may do everything (loopback only; the caller sees to that). */
  api_keys: readonly ApiKey[];
  /** Names in the Host header beside the bound one and loopback. `*` turns the check off. */
  allowed_hosts: readonly string[];
  /** Origins (`https://app.example`) of pages elsewhere that may call. */
  allowed_origins: readonly string[];
  /** Bytes. */
  body_limit: number;
  limits?: Partial<HttpLimits>;
};
