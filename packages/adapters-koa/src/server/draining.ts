import { setTimeout as pause } from 'node:timers/promises';
import { overloaded } from '@portico/core';
import type { Middleware } from 'koa';
import { closeConnection, dropRequest, isWaiting } from '../response/close-connection.ts';
import { preventCaching } from '../response/prevent-caching.ts';
import { sendFailure } from '../response/problem.ts';
import { serverDefaults } from '../request/server-defaults.ts';
import {
  closeAllConnections,
  closeIdleConnections,
  closeSessions,
  closeUnusedConnections,
  type HttpServer,
  stopListening,
} from './http-server.ts';

/**
 * Shutdown state. `leaving`: no longer ready, but still serving until the load balancer has noticed. `draining`: still
 * listening for callbacks; only they, `/health`, `/api/legs` and the probes are served. `closing`: no longer listening. A
 * request may still arrive on a connection that was accepted before; it is served, because its client cannot choose
 * another instance.
 */
export interface ServerState {
  phase: 'serving' | 'leaving' | 'draining' | 'closing';
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
 * Shuts a server down gracefully. First, `/readyz` returns 503 for `delayMs` while all requests are still served. While
 * searches are pending, callbacks are still accepted and other new requests get 503. Then no connection is accepted, and the
 * requests on those that were accepted finish. At most `limitMs` after the delay, the remaining connections are closed. The
 * default limit is `serverDefaults.drainLimitMs`.
 */
export const drain = async (
  server: HttpServer,
  limitMs: number = serverDefaults.drainLimitMs,
  delayMs = 0,
): Promise<void> => {
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
  if (state) state.phase = 'closing';
  const closed = stopListening(server);
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

const isSearching = (state: ServerState): boolean => state.searching > 0 || state.pending() > 0;

/** Resolves when no search is in progress, or once the drain limit has ended the phase. */
const searchesSettled = async (state: ServerState): Promise<void> => {
  while (state.phase !== 'closing' && isSearching(state)) await pause(20, undefined, { ref: false });
};

/**
 * From `leaving` on, closes each connection after its response, and drops pipelined requests that wait for one. While
 * draining, refuses new requests.
 */
export const gate =
  (state: ServerState): Middleware =>
  async (ctx, next) => {
    if (state.phase !== 'serving' && isWaiting(ctx)) return dropRequest(ctx);
    if (isRefused(state, ctx.path)) {
      preventCaching(ctx);
      sendFailure(ctx, overloaded());
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

/** Without a listening server, a search would never get its callbacks. */
const isRefused = ({ phase, isServedWhileDraining, isSearch }: ServerState, path: string): boolean =>
  phase === 'draining' ? !isServedWhileDraining(path) : phase === 'closing' && isSearch(path);
