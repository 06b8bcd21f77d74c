// A web site on a loopback address that counts who came, and fetch over a network that a test decides.
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Network } from '../../src/tools/fetch/connect.ts';
import { createFetch } from '../../src/tools/fetch.ts';
import { guarded } from '../../src/tools/result.ts';
import { toolKit } from './tool-context.ts';

export async function localSite(serve: RequestListener | Record<string, RequestListener>) {
  const paths: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    const handler = typeof serve === 'function' ? serve : serve[path];
    if (handler) handler(request, response);
    else response.writeHead(404).end('no such page');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    paths,
    connections: () => connections,
  };
}

export const page =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...headers }).end(body);
  };

/** `names`: what each host name resolves to, in the order of the questions; the last one stays. */
export function network(
  names: Record<string, string[][]>,
  dial?: (address: string, port: number) => Socket,
): Network {
  const asked = new Map<string, number>();
  return {
    async resolve(host) {
      const answers = names[host];
      if (!answers) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' });
      const n = asked.get(host) ?? 0;
      asked.set(host, n + 1);
      return answers[Math.min(n, answers.length - 1)] ?? [];
    },
    dial: dial ?? ((address, port) => connect({ host: address, port })),
  };
}

export function fetchKit(fetch_allow: string[] = [], over?: Network, deadline_ms?: number) {
  const kit = toolKit({ fetch_allow });
  const tool = guarded(createFetch(over ?? null, deadline_ms));
  return {
    workdir: kit.workdir,
    fetch: (url: string, more: Parameters<typeof kit.call>[2] = {}) =>
      tool.run({ url }, { ...kit.context(), ...more }),
  };
}
