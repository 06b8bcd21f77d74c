// Rules between settings: what is right by itself and wrong together. Pure.
import { type At, type Findings, type Report, wrong } from './finding.ts';
import type { Config } from './schema.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** A host name or address with an optional port, or an address with a prefix length. */
const REACHABLE =
  /^(?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?|[\da-f:]*:[\da-f:.]*|[\da-f:.]+\/\d{1,3})$/i;

export function checkRules(config: Config, found: Findings, report: Report): void {
  const { server, subagents, limits, models } = config;
  const at = (path: string): At =>
    found.get(path)?.at ?? { file: 'defaults', line: null, key: path };
  if (!isLoopback(server.host) && server.api_key === null)
    wrong(
      report.problems,
      at('server.host'),
      `"${server.host}" without an API key`,
      'a loopback address, or any address with server.api_key or TROUPE_API_KEY[_FILE]',
    );
  if (!isLoopback(subagents.host))
    wrong(
      report.warnings,
      at('subagents.host'),
      `"${subagents.host}": role servers can be reached from outside, guarded by their tokens alone`,
      'a loopback address',
    );
  for (const [path, entries] of [
    ['sandbox.fetch_allow', config.sandbox.fetch_allow],
    ['facades.webhook_allow', config.facades.webhook_allow],
  ] as const)
    for (const entry of entries)
      if (!REACHABLE.test(entry))
        wrong(
          report.problems,
          at(path),
          `"${entry}" in the list`,
          '"host", "host:port", an IP address or a CIDR block such as "10.1.0.0/16"',
        );
  const order: [string, number, string, number][] = [
    [
      'limits.tool_timeout_s',
      limits.tool_timeout_s,
      'limits.tool_timeout_max_s',
      limits.tool_timeout_max_s,
    ],
    [
      'models.first_token_timeout_s',
      models.first_token_timeout_s,
      'models.total_timeout_s',
      models.total_timeout_s,
    ],
    [
      'models.local_first_token_timeout_s',
      models.local_first_token_timeout_s,
      'models.local_total_timeout_s',
      models.local_total_timeout_s,
    ],
  ];
  for (const [low, less, high, more] of order)
    if (more !== 0 && less > more) {
      // Blame the one that somebody set.
      const place = found.has(low) ? at(low) : at(high);
      wrong(
        report.problems,
        place,
        `${low} = ${less} above ${high} = ${more}`,
        `${low} at most ${high}`,
      );
    }
}
