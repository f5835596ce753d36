/**
 * Sellers on a Beckn network: acknowledge a search, and call back. The path is `/{leg}/{delayMs}`, optionally followed by
 * `/{sellers}/{bytes}/{pauseMs}/{spreadMs}`: how many of them call back, with how much padding, how long after each other, and up
 * to how much later, by chance. Replies to a message over IPC with the machine time at which the last callback of each search
 * was written, or to `{ of: 'delays' }` with the milliseconds from the search to that callback. Both then start anew.
 */
import { connect, type Socket } from 'node:net';
import { machineTime } from '../../machine-time.ts';
import { seededRandom } from './arrivals.ts';
import { readMessages, requestBytes, responseBytes, wireServer } from './wire.ts';

const acknowledgement = responseBytes('application/json', '{"message":{"ack":{"status":"ACK"}}}');
const item = {
  id: 'item',
  descriptor: { name: 'Health cover', code: 'health' },
  price: { currency: 'INR', value: '499' },
};
const catalog = {
  providers: [{ id: 'p', items: Array.from({ length: 5 }, (_, id) => ({ ...item, id: `item-${id}` })) }],
};

const idleByHost = new Map<string, Socket[]>();

/** An idle kept-alive connection to the buyer. */
const idleConnection = (url: URL): Socket => {
  const idle = idleByHost.get(url.host) ?? [];
  idleByHost.set(url.host, idle);
  const kept = idle.pop();
  if (kept) return kept;
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  readMessages(socket, false, ({ head }) => {
    if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`A callback was refused: ${head}`);
    idle.push(socket);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    const at = idle.indexOf(socket);
    if (at >= 0) idle.splice(at, 1);
  });
  return socket;
};

let sentAt: Record<string, number> = {};
let delays: Record<string, number> = {};
const random = seededRandom(1);

const { port } = await wireServer(({ head, body }, socket) => {
  const receivedAt = machineTime();
  socket.write(acknowledgement);
  const path = head.slice(head.indexOf('/'), head.indexOf(' HTTP/'));
  const { context } = JSON.parse(body.toString()) as {
    readonly context: { readonly transaction_id: string; readonly bap_uri: string };
  };
  const url = new URL(`${context.bap_uri}/on_search`);
  const [delayMs = 0, sellers = 1, bytes = 0, pauseMs = 0, spreadMs = 0] = (path.match(/\d+/g) ?? []).map(Number);
  const sendFrom = (seller: number) => {
    const envelope = JSON.stringify({
      context: { ...context, action: 'on_search', bpp_id: `bpp-${seller}.bench.example` },
      message: { catalog, ...(bytes > 0 && { padding: 'x'.repeat(bytes) }) },
    });
    const callback = requestBytes('POST', url, { 'Content-Type': 'application/json' }, envelope);
    const send = () => {
      idleConnection(url).write(callback);
      sentAt[context.transaction_id] = machineTime();
      delays[context.transaction_id] = machineTime() - receivedAt;
    };
    const afterMs = delayMs + seller * pauseMs + random() * spreadMs;
    if (afterMs > 0) setTimeout(send, afterMs);
    else send();
  };
  for (let seller = 0; seller < sellers; seller++) sendFrom(seller);
});

process.on('message', ({ of }: { readonly of?: 'delays' }) => {
  process.send?.(of === 'delays' ? delays : sentAt);
  sentAt = {};
  delays = {};
});
process.stdout.write(`${JSON.stringify({ port })}\n`);
