// The secret with which webhooks are signed: what the configuration names, or one of this state folder's own.

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Made at the first start; its receiver needs it to check who is calling. */
export const WEBHOOK_SECRET_FILE = 'webhook-secret';

export function webhookSecret(state_dir: string, given: string | null): string {
  if (given !== null) return given;
  const file = join(state_dir, WEBHOOK_SECRET_FILE);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}
