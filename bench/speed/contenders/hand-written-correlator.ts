/**
 * The simplest search: `node:http`, undici, a `Map` and `setTimeout`, without limits, checks or states.
 * Arguments: the number of callbacks that a leg waits for, and the URL of each leg's gateway.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

const [count, ...gateways] = process.argv.slice(2);
const callbackCount = Number(count);
const waiting = new Map<string, (callback: string) => void>();

const read = async (message: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return text;
};

const headers = { 'content-type': 'application/json' };

const searchLeg = (url: string, base: string, query: string): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const transactionId = randomUUID();
    const callbacks: string[] = [];
    const timer = setTimeout(() => resolve(callbacks), 10_000);
    waiting.set(transactionId, (callback) => {
      callbacks.push(callback);
      if (callbacks.length < callbackCount) return;
      clearTimeout(timer);
      waiting.delete(transactionId);
      resolve(callbacks);
    });
    const context = { transaction_id: transactionId, message_id: randomUUID(), bap_uri: base, action: 'search' };
    const message = { intent: { item: { descriptor: { name: query } } } };
    request(url, { method: 'POST', headers, body: JSON.stringify({ context, message }) })
      .then(({ body }) => body.dump())
      .catch(() => resolve(callbacks));
  });

const server = createServer(async (incoming, response) => {
  const text = await read(incoming);
  response.setHeader('content-type', 'application/json');
  if (incoming.url === '/on_search') {
    const { context } = JSON.parse(text) as { readonly context: { readonly transaction_id: string } };
    response.end('{"message":{"ack":{"status":"ACK"}}}');
    waiting.get(context.transaction_id)?.(text);
    return;
  }
  const { query } = JSON.parse(text) as { readonly query: string };
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const legs = await Promise.all(gateways.map((url) => searchLeg(url, base, query)));
  response.end(`[${legs.map((callbacks) => `[${callbacks.join()}]`).join()}]`);
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
