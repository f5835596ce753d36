import type { Server } from 'node:http';
import { drain, MountError, type RequestReport, type ServerSettings } from '@portico/adapters-koa';
import type { SessionEvent } from '@portico/adapters-session';
import type { Cancel, Clock, SearchStatus } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { listen } from '../connection/listener.ts';
import type { Log } from './log.ts';
import type { SettingProblem } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { redactError } from './redact-error.ts';
import type { Metrics, Observer } from './metrics/metrics.ts';
import { metricsServer } from './metrics/metrics-server.ts';
import { type RedisProblem, watchRedis } from './lines/redis-lines.ts';
import { refusedTokenLines } from './lines/refused-token-lines.ts';
import { requestLines } from './lines/request-lines.ts';
import { sessionLines } from './lines/session-lines.ts';

/** Logs and metrics of a server. */
export interface Telemetry {
  /** Observes the services behind the member API, and the identity provider. */
  readonly observer: Observer;
  /** Settings for `createServer`. Without request log and metrics, `onResponse` is not set. */
  readonly hooks: Pick<ServerSettings, 'onResponse' | 'onRateLimited'> &
    Required<Pick<ServerSettings, 'onLeg' | 'onError'>>;
  /** Logs and counts what happens to browser sessions. */
  readonly onSession: (event: SessionEvent) => void;
  /** Starts the metrics listener, if it is configured. Returns the problem with the setting that prevents it. */
  readonly serveMetrics: (
    server: Server,
    searchStatus: (() => SearchStatus) | undefined,
  ) => Promise<SettingProblem | undefined>;
  /** Logs and measures whether Redis can be used. Returns a function that stops it. */
  readonly watchRedis: (problem: RedisProblem) => Cancel;
  /** Stops the metrics listener and flushes the log. Must be called last, so that metrics cover the whole shutdown. */
  readonly end: () => Promise<void>;
}

export const startTelemetry = async (
  settings: Settings,
  sourceOf: (setting: string) => string,
  log: Log,
  { version, clock = systemClock }: { readonly version: string; readonly clock?: Clock },
): Promise<Telemetry> => {
  const legs = Object.keys(settings.search.legs ?? {});
  const metrics =
    settings.metrics.port === undefined
      ? undefined
      : (await import('./metrics/metrics.ts')).createMetrics({ version, legs, clock });
  const listener = metricsListener(metrics, settings.metrics, sourceOf, log);
  const isLogged = settings.log.level === 'info' || settings.log.level === 'warn';
  const logSession = sessionLines(log, clock);
  const onResponse = all([
    ...(isLogged ? [requestLines(log), refusedTokenLines(log, clock)] : []),
    ...(metrics ? [metrics.onResponse] : []),
  ]);
  return {
    observer: {
      ...metrics?.observer,
      tlsReloaded: (setting, problem) =>
        problem === undefined
          ? log('info', 'TLS files changed', { setting })
          : log('warn', 'TLS files changed, but the previous ones stay in use', { setting, problem }),
    },
    hooks: {
      ...(onResponse && { onResponse }),
      ...(metrics && { onRateLimited: metrics.onRateLimited }),
      onLeg: (report) => {
        metrics?.onLeg(report);
        const { leg, sellerErrors } = report;
        if (sellerErrors > 0) log('warn', 'sellers responded with an error', { leg, sellers: sellerErrors });
      },
      onError: (error, requestId) => {
        // Messages of other errors may contain private data.
        const message = error instanceof MountError ? error.message : 'unexpected error';
        log('error', message, { requestId, error: redactError(error) });
      },
    },
    onSession: (event) => {
      if (isLogged) logSession(event);
      metrics?.onSession(event);
    },
    serveMetrics: listener.start,
    watchRedis: (problem) => {
      metrics?.watchRedis(problem);
      return watchRedis(problem, log, clock);
    },
    end: async () => {
      await listener.stop();
      log.flush();
    },
  };
};

/** Maximum time that a shutdown waits for a running scrape. */
const scrapeMs = 1000;

const metricsListener = (
  metrics: Metrics | undefined,
  { host, port }: Settings['metrics'],
  sourceOf: (setting: string) => string,
  log: Log,
): { readonly start: Telemetry['serveMetrics']; readonly stop: () => Promise<void> } => {
  let listener: Server | undefined;
  return {
    start: async (server, searchStatus) => {
      if (!metrics || port === undefined) return undefined;
      metrics.watchServer(server);
      if (searchStatus) metrics.watchSearch(searchStatus);
      listener = metricsServer(metrics.registry, (error) =>
        log('error', 'failed to collect metrics', { error: redactError(error) }),
      );
      const listening = await listen(listener, { host, port }, sourceOf, 'metrics');
      if ('problem' in listening) return listening.problem;
      log('info', 'serving metrics', { url: `${listening.url}/metrics` });
      return undefined;
    },
    stop: async () => {
      if (listener?.listening) await drain(listener, scrapeMs);
    },
  };
};

type OnResponse = (report: RequestReport) => void;

const all = (handlers: readonly OnResponse[]): OnResponse | undefined =>
  handlers.length === 0
    ? undefined
    : (report) => {
        for (const handle of handlers) handle(report);
      };
