import type { Server } from 'node:http';
import type { Middleware } from 'koa';
import { sendFailure } from '../response/problem.ts';

/** `leaving`: not ready any more, but everything is still served, until the load balancer has noticed. */
export interface ServerState {
  phase: 'serving' | 'leaving' | 'draining';
  /** How many searches were admitted and have no response yet. Their legs may not wait for callbacks yet. */
  searching: number;
  /** How many legs still wait for a callback. */
  readonly pending: () => number;
  /** Paths of routes that are served until the end: sellers must get through while a search waits. */
  readonly isServedToTheEnd: (path: string) => boolean;
  readonly isSearch: (path: string) => boolean;
}

const states = new WeakMap<Server, ServerState>();

export const stateOf = (
  server: Server,
  given: Pick<ServerState, 'pending' | 'isServedToTheEnd' | 'isSearch'>,
): ServerState => {
  const state: ServerState = { phase: 'serving', searching: 0, ...given };
  states.set(server, state);
  return state;
};

/**
 * Ends a server in this order: `/readyz` says 503 while everything is still served for `delayMs`; then no new work is
 * taken and what is in flight finishes; after `limitMs` more what is left is cut off. While a search waits, sellers must
 * still get through: the server keeps listening for callbacks and turns everything else away (503).
 */
export const drain = async (server: Server, limitMs = 10_000, delayMs = 0): Promise<void> => {
  const state = states.get(server);
  if (state && delayMs > 0) {
    state.phase = 'leaving';
    await pause(delayMs);
  }
  if (state) state.phase = 'draining';
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const limit = Promise.withResolvers<void>();
  const timer = setTimeout(limit.resolve, limitMs);
  if (state && isSearching(state)) await Promise.race([searchesSettled(state), limit.promise]);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await Promise.race([closed, limit.promise]);
  server.closeAllConnections();
  clearInterval(sweep);
  clearTimeout(timer);
  await closed;
};

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

const isSearching = (state: ServerState): boolean => state.searching > 0 || state.pending() > 0;

const searchesSettled = (state: ServerState): Promise<void> =>
  new Promise((resolve) => {
    const look = setInterval(() => {
      if (isSearching(state)) return;
      clearInterval(look);
      resolve();
    }, 20);
    look.unref();
  });

/** While leaving, no connection outlives its answer; while draining, there is no new work. */
export const gate =
  (state: ServerState): Middleware =>
  async (ctx, next) => {
    if (state.phase === 'draining' && !state.isServedToTheEnd(ctx.path)) {
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
    if (state.phase !== 'serving') ctx.set('Connection', 'close');
  };
