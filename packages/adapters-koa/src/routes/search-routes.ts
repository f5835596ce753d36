import { Router } from '@koa/router';
import type { Json, SearchUseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { callbackGate, type CallbackGateSettings } from '../request/callback-gate.ts';
import { mount } from './mount.ts';
import { onSearchRoutes } from './on-search.ts';
import { searchRoutes as routes } from './search.ts';
import { healthRoutes } from './health.ts';

/** What the search route finds in `ctx.state`, behind `jsonBody`. */
export interface SearchState {
  readonly body: Json;
}

export interface SearchRouteSettings {
  /** The largest search request taken. Default 256 KiB. */
  readonly maxRequestBytes?: number;
  /** How much of finished searches may wait for slow clients, before new searches get 503. Default 128 MiB. */
  readonly maxUnsentBytes?: number;
}

export interface CallbackRouteSettings {
  /** The largest callback taken. Default 5 MiB. */
  readonly maxCallbackBytes?: number;
  /** How much of callbacks may be under way at once, before sellers are told to come back. */
  readonly callbackGate?: CallbackGateSettings;
  /** Shown by `/health`. */
  readonly version?: string;
}

/** `POST /api/search`, for the host that clients ask. Mount it with `app.use(searchRoutes(useCases))`. */
export const searchRoutes = (
  use: SearchUseCases,
  { maxRequestBytes = 262_144, maxUnsentBytes = 134_217_728 }: SearchRouteSettings = {},
): Middleware => mount((path) => path === searchPath, routes(use, maxRequestBytes, maxUnsentBytes));

/** `POST /on_search`, `GET /health` and `GET /api/legs`, for the host that sellers call back. */
export const callbackRoutes = (
  use: SearchUseCases,
  { maxCallbackBytes = 5_242_880, callbackGate: gate, version }: CallbackRouteSettings = {},
): Middleware => {
  const router = new Router({ sensitive: true, strict: true });
  for (const routes of [onSearchRoutes(use, maxCallbackBytes, callbackGate(gate)), healthRoutes(use, version)])
    router.use(routes.routes());
  return mount(isCallbackPath, router);
};

export const searchPath = '/api/search';

const callbackPaths = new Set(['/on_search', '/on_search/', '/health', '/api/legs']);

export const isCallbackPath = (path: string): boolean => callbackPaths.has(path);
