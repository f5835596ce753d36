import type { SearchUseCases } from '@portico/core';
import type { Middleware } from 'koa';
import { callbackGate, type CallbackGateSettings } from '../request/callback-gate.ts';
import { serverDefaults } from '../server/defaults.ts';
import { mountRoutes } from './mount.ts';
import { routeTable } from '../routes/table.ts';

export interface SearchRouteSettings {
  /** The largest search request taken. Default 256 KiB (`serverDefaults`). */
  readonly maxRequestBytes?: number;
  /** How much of finished searches may wait for slow clients, before new searches get 503. Default 128 MiB. */
  readonly maxUnsentBytes?: number;
}

export interface CallbackRouteSettings {
  /** The largest callback taken. Default 5 MiB (`serverDefaults`). */
  readonly maxCallbackBytes?: number;
  /** How much of callbacks may be under way at once, before sellers get 503. */
  readonly callbackGate?: CallbackGateSettings;
  /** Shown by `/health`. */
  readonly version?: string;
}

/** `POST /api/search`, for the host that clients call. Mount it with `app.use(searchRoutes(useCases))`. */
export const searchRoutes = (
  use: SearchUseCases,
  {
    maxRequestBytes = serverDefaults.maxRequestBytes,
    maxUnsentBytes = serverDefaults.maxUnsentBytes,
  }: SearchRouteSettings = {},
  routes = routeTable.search,
): Middleware => mountRoutes(routes, use, { maxUnsentBytes }, { maxRequestBytes });

/** `POST /on_search`, `GET /health` and `GET /api/legs`, for the host that sellers call back. */
export const callbackRoutes = (
  use: SearchUseCases,
  { maxCallbackBytes = serverDefaults.maxCallbackBytes, callbackGate: gate, version }: CallbackRouteSettings = {},
  routes = routeTable.callbacks,
): Middleware => mountRoutes(routes, use, { maxCallbackBytes, gate: callbackGate(gate), version });
