import type { Middleware } from 'koa';
import { closeConnection } from '../response/close-connection.ts';
import { sendFailure } from '../response/problem.ts';
import {
  closeAllConnections,
  closeIdleConnections,
  closeSessions,
  closeUnusedConnections,
  type HttpServer,
} from './http-server.ts';

/** Shutdown state. `leaving`: no longer ready, but still serving until the load balancer has noticed. */
export interface ServerState {
  phase: 'serving' | 'leaving' | 'draining';
  /** Number of admitted searches without a response. Their legs may not be pending yet. */
  searching: number;
  /** Number of legs that are waiting for a callback. */
  readonly pending: () => number;
  /** Paths that are served until the server closes: pending searches need their callbacks. */
  readonly isServedWhileDraining: (path: string) => boolean;
  readonly isSearch: (path: string) => boolean;
}

const states = new WeakMap<HttpServer, ServerState>();

export const stateOf = (
  server: HttpServer,
  initial: Pick<ServerState, 'pending' | 'isServedWhileDraining' | 'isSearch'>,
): ServerState => {
  const state: ServerState = { phase: 'serving', searching: 0, ...initial };
  states.set(server, state);
  return state;
};

/**
 * Shuts a server down gracefully. First, `/readyz` returns 503 for `delayMs` while all requests are still served. Then new
 * requests get 503 and requests in flight finish; after another `limitMs`, the remaining connections are closed. While
 * searches are pending, callbacks are still accepted.
 */
export const drain = async (server: HttpServer, limitMs = 10_000, delayMs = 0): Promise<void> => {
  const state = states.get(server);
  if (state && delayMs > 0) {
    state.phase = 'leaving';
    await pause(delayMs);
  }
  if (state) state.phase = 'draining';
  const closeIdle = setInterval(() => closeIdleConnections(server), 50);
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, limitMs);
  if (state && isSearching(state)) await Promise.race([searchesSettled(state), timeout.promise]);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  closeSessions(server);
  const unused = setTimeout(() => closeUnusedConnections(server), firstByteMs);
  await Promise.race([closed, timeout.promise]);
  clearTimeout(unused);
  closeAllConnections(server);
  clearInterval(closeIdle);
  clearTimeout(timer);
  await closed;
};

/** How long the first byte of a connection may still arrive when no new connections are accepted. */
const firstByteMs = 1000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const isSearching = (state: ServerState): boolean => state.searching > 0 || state.pending() > 0;

const searchesSettled = (state: ServerState): Promise<void> =>
  new Promise((resolve) => {
    const poll = setInterval(() => {
      if (isSearching(state)) return;
      clearInterval(poll);
      resolve();
    }, 20);
    poll.unref();
  });

/** While leaving, closes each connection after its response. While draining, refuses new requests. */
export const gate =
  (state: ServerState): Middleware =>
  async (ctx, next) => {
    if (state.phase === 'draining' && !state.isServedWhileDraining(ctx.path)) {
      ctx.set('Cache-Control', 'private, no-store');
      ctx.vary('Authorization');
      sendFailure(ctx, { kind: 'overloaded', retryAfterSeconds: 1 });
    } else if (state.isSearch(ctx.path)) {
      state.searching++;
      try {
        await next();
      } finally {
        state.searching--;
      }
    } else await next();
    if (state.phase !== 'serving') closeConnection(ctx);
  };
