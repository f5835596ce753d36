import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Log } from '@portico/cli/serve';
import { hasRedis, startRedis } from '@portico/demo/cluster';
import { listening, reservePort } from '@portico/demo/ports';
import { expect, it, onTestFinished } from 'vitest';
import { serveHere } from '../command-line/serve-here.ts';

const searches = 24;

/** Posts JSON on a connection of its own, so that the system chooses a server each time. */
const post = async (url: string, body: unknown) => {
  const sent = request(url, { method: 'POST', agent: false, headers: { 'content-type': 'application/json' } });
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await json(response) };
};

interface Envelope {
  readonly context: { readonly bap_uri: string; readonly transaction_id: string };
}

/** Sends a callback until it is accepted: a server refuses it with 503 while Redis responds slowly, on a busy machine. */
const callBack = async (url: string, callback: unknown): Promise<void> => {
  while ((await post(url, callback)).status === 503);
};

/** A network that acknowledges each search and then calls back. */
const startNetwork = async (): Promise<string> => {
  const server = createServer((incoming, outgoing) => {
    void json(incoming).then((body) => {
      const { context } = body as Envelope;
      outgoing.end('{"message":{"ack":{"status":"ACK"}}}');
      const callback = { context: { ...context, action: 'on_search' }, message: { catalog: { providers: [] } } };
      void callBack(`${context.bap_uri}/on_search`, callback);
    });
  });
  const { url, close } = await listening(server);
  onTestFinished(close);
  return url;
};

/** Starts a server of the search API. Returns it with the routes of the requests that it has received. */
const startServer = async (values: object) => {
  const routes: unknown[] = [];
  const record = (_level: string, message: string, { route }: Readonly<Record<string, unknown>> = {}) =>
    void (message === 'request' && routes.push(route));
  const log: Log = Object.assign(record, { flush: () => {} });
  const server = await serveHere(values, log);
  onTestFinished(() => server.close());
  return { server, routes };
};

// Both servers are in one process. For the system they are two listening sockets, like those of two processes.
it.skipIf(!hasRedis || process.platform !== 'linux')(
  'two servers that share a port complete every search, whichever of them receives its callbacks',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const port = await reservePort();
    const url = `http://127.0.0.1:${port}`;
    const identifiers = { label: 'A network', domain: 'retail', version: '1.1.0', city: 'std:080' };
    const gatewayUrl = await startNetwork();
    const leg = { ...identifiers, categoryCode: 'health', bapId: 'bap.example', bapUri: url, gatewayUrl };
    const values = {
      listen: { port, reusePort: true },
      // A search ends when its callbacks have arrived.
      search: { timeoutMs: 60_000, legs: { moa: leg, mh: leg } },
      redis: { url: `redis://127.0.0.1:${redis.port}` },
    };
    const servers = [await startServer(values), await startServer(values)];
    const search = { persona: 'member', query: 'health', user_id: 'test' };

    const results = await Promise.all(Array.from({ length: searches }, () => post(`${url}/api/search`, search)));

    const delivered = expect.objectContaining({ context: expect.objectContaining({ action: 'on_search' }) });
    const complete = expect.objectContaining({ moa: delivered, mh: delivered });
    expect(results.map(({ body }) => body)).toEqual(Array.from({ length: searches }, () => complete));
    for (const { server, routes } of servers) {
      expect(server.url).toBe(url);
      expect(routes).toContain('/api/search');
      expect(routes).toContain('/on_search');
    }
  },
);
