import { type RequestReport, routesOf, routeTable } from '@portico/adapters-koa';
import type { Log } from '../log.ts';

/** They run every few seconds, and are only logged when they fail. */
const healthChecks: ReadonlySet<string> = new Set(
  Object.values(routeTable)
    .flatMap((groups) => routesOf(groups))
    .filter(({ isHealthCheck }) => isHealthCheck)
    .map(({ path }) => path),
);

/** Logs one line per request: a warning if the status is 5xx. */
export const requestLines =
  (log: Log) =>
  ({ requestId, method, route, status, outcome, durationMs, stages, problem }: RequestReport): void => {
    if (status < 400 && healthChecks.has(route)) return;
    const { authenticationMs, useCaseMs, sendingMs } = stages;
    log(status >= 500 ? 'warn' : 'info', 'request', {
      requestId,
      method,
      route,
      status,
      outcome,
      code: problem?.code,
      service: problem?.service,
      reason: problem?.reason ?? problem?.refusal,
      upstreamStatus: problem?.upstreamStatus,
      durationMs: toTenths(durationMs),
      authenticationMs: authenticationMs === undefined ? undefined : toTenths(authenticationMs),
      useCaseMs: toTenths(useCaseMs),
      sendingMs: toTenths(sendingMs),
    });
  };

const toTenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
