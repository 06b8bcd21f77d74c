// What a start tells the person who started it: the line that programs look for, then model, data, key.
import type { Loaded } from '../config/load.ts';
import { announcement, type Choice } from '../models/choose.ts';

export function announce(
  stdout: { write(text: string): unknown },
  {
    url,
    loaded,
    chosen,
    keyFile,
  }: { url: string; loaded: Loaded; chosen: Choice; keyFile: string | null },
): void {
  const { server, subagents } = loaded.config;
  const key = server.api_key
    ? `required${keyFile ? ` (made at this first start: ${keyFile})` : ''}`
    : 'none: everybody on this machine may call';
  const lines = [
    `troupe listening on ${url}`,
    `  ${announcement(chosen)}`,
    `  data:   ${server.state_dir}`,
    `  key:    ${key}`,
    `  limits: ${subagents.max} subagents at once, ${server.topology} topology`,
    `  docs:   ${url}/docs`,
  ];
  stdout.write(`${lines.join('\n')}\n`);
}
