import type { SearchUseCases } from '@portico/core';
import type { Middleware } from 'koa';
import type { BodyLimits } from '../middleware/json-body.ts';
import { callbackGate, type CallbackGateSettings } from '../request/callback-gate.ts';
import { serverDefaults } from '../request/server-defaults.ts';
import { mountRoutes } from './mount.ts';
import { routeTable } from '../routes/table.ts';
import type { LegReport } from '../routing/route.ts';

/** Defaults: `serverDefaults`. */
export interface SearchRouteSettings extends BodyLimits {
  /**
   * Maximum size of results that clients have not read yet. Beyond it, a new search cuts the responses whose searches ended
   * first; without any, it gets 503.
   */
  readonly maxUnsentBytes?: number;
  /** Called for each leg of a search, once it has ended. An exception becomes an `error` event of the app. */
  readonly onLeg?: (report: LegReport) => void;
}

/** Defaults: `serverDefaults`. */
export interface CallbackRouteSettings {
  /** Maximum size of a callback in bytes. */
  readonly maxCallbackBytes?: number;
  /** Limits for concurrent callbacks; beyond them, sellers get 503. */
  readonly callbackGate?: CallbackGateSettings;
  /** Version shown by `/health`. */
  readonly version?: string;
}

/** Serves `POST /api/search`, for the host that clients call. Mount it with `app.use(searchRoutes(useCases))`. */
export const searchRoutes = (
  use: SearchUseCases,
  { maxUnsentBytes = serverDefaults.maxUnsentBytes, onLeg, ...bodies }: SearchRouteSettings = {},
  routes = routeTable.search,
): Middleware => mountRoutes(routes, use, { maxUnsentBytes, onLeg }, { bodies });

/** Serves `POST /on_search`, `POST /on_discover`, `GET /health` and `GET /api/legs`, for the host that receives callbacks. */
export const callbackRoutes = (
  use: SearchUseCases,
  { maxCallbackBytes = serverDefaults.maxCallbackBytes, callbackGate: gate, version }: CallbackRouteSettings = {},
  routes = routeTable.callbacks,
): Middleware => mountRoutes(routes, use, { maxCallbackBytes, gate: callbackGate(gate), version });
