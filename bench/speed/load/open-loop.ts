/**
 * An open loop, a separate process: receives a load over IPC, sends requests when they are due however many are in flight,
 * and replies with how long each took. A closed loop sends less when the server is slow, and so hides that requests wait.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { serveLoads } from '../../ipc.ts';
import { poissonArrivals } from './arrivals.ts';
import { type Exchange, exchangeOn, transactionIds } from './load.ts';
import { requestBytes } from './wire.ts';

export interface OpenLoop {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly perSecond: number;
  readonly seconds: number;
  readonly seed: number;
}

/** One search: from when its request was written until its response was complete. */
export interface TimedSearch {
  readonly tookMs: number;
  /** The transaction ids in the response. */
  readonly ids: readonly string[];
}

/** Connections of one load; a request takes an idle one, or opens one. The server may close an idle one. */
const connectionsTo = (url: string) => {
  const { hostname: host, port } = new URL(url);
  const idle = new Set<Exchange>();
  const sockets: ReturnType<typeof connect>[] = [];
  const open = async (): Promise<Exchange> => {
    const socket = connect({ host, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    sockets.push(socket);
    const exchange = exchangeOn(socket, url, true);
    socket.once('close', () => idle.delete(exchange));
    return exchange;
  };
  const take = (): Exchange | undefined => {
    const [exchange] = idle;
    if (exchange) idle.delete(exchange);
    return exchange;
  };
  const close = () => sockets.forEach((socket) => socket.destroy());
  return { open, take, release: (exchange: Exchange) => idle.add(exchange), close };
};

serveLoads(async ({ url, headers, body, perSecond, seconds, seed }: OpenLoop): Promise<readonly TimedSearch[]> => {
  const request = requestBytes('POST', new URL(url), headers, body);
  const { open, take, release, close } = connectionsTo(url);
  const send = async (): Promise<TimedSearch> => {
    const exchange = take() ?? (await open());
    const sentAt = performance.now();
    const response = await exchange(request);
    const tookMs = performance.now() - sentAt;
    release(exchange);
    return { tookMs, ids: transactionIds(response) };
  };
  // Enough for the searches of 100 ms, so that connecting is not measured.
  (await Promise.all(Array.from({ length: Math.ceil(perSecond / 5) }, open))).forEach(release);
  const arrivals = poissonArrivals(perSecond, seconds, seed);
  const sent: Promise<TimedSearch>[] = [];
  const allSent = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt;
    while (sent.length < arrivals.length && arrivals[sent.length]! <= elapsedMs) sent.push(send());
    if (sent.length === arrivals.length) allSent.resolve();
  }, 1);
  try {
    await allSent.promise;
    return await Promise.all(sent);
  } finally {
    clearInterval(timer);
    close();
  }
});
