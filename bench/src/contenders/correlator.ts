/**
 * The least that could work, to measure against: one search on two legs with `node:http`, a `Map` and a timer.
 * No limits, no checks, no states. Takes the two sellers' addresses as arguments and prints its port.
 */
import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const sellers = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const waiting = new Map<string, (callback: string) => void>();

const read = async (message: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return text;
};

const askLeg = (url: string, base: string): Promise<string> =>
  new Promise((resolve) => {
    const transactionId = randomUUID();
    const timer = setTimeout(() => resolve('null'), 10_000);
    waiting.set(transactionId, (callback) => {
      clearTimeout(timer);
      waiting.delete(transactionId);
      resolve(callback);
    });
    const context = { transaction_id: transactionId, bap_uri: base };
    request(url, { agent, method: 'POST' }, (response) => response.resume()).end(JSON.stringify({ context }));
  });

const server = createServer(async (incoming: IncomingMessage, response: ServerResponse) => {
  const text = await read(incoming);
  if (incoming.url === '/on_search') {
    const { context } = JSON.parse(text) as { readonly context: { readonly transaction_id: string } };
    response.end('{"message":{"ack":{"status":"ACK"}}}');
    waiting.get(context.transaction_id)?.(text);
    return;
  }
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [moa, mh] = await Promise.all(sellers.map((url) => askLeg(url, base)));
  response.setHeader('content-type', 'application/json').end(`{"moa":${moa},"mh":${mh}}`);
});

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
