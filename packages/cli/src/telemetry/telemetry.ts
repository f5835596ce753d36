import type { Server } from 'node:http';
import type { ServiceObserver } from '@portico/adapters-http';
import { type RequestReport, drain } from '@portico/adapters-koa';
import type { SearchStatus } from '@portico/core';
import { listen } from '../serve/listener.ts';
import type { Log } from './log.ts';
import type { SettingProblem } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { redactError } from './redact-error.ts';
import { metricsServer } from './metrics/metrics-server.ts';
import { requestLines } from './request-lines.ts';

/** Logs and metrics of a server. */
export interface Telemetry {
  /** Observes the services behind the member API. */
  readonly observer: ServiceObserver;
  /** Settings for `createServer`. Without request log and metrics, `onResponse` is not set. */
  readonly hooks: {
    readonly onResponse?: (report: RequestReport) => void;
    readonly onRateLimited?: (kind: 'member' | 'address') => void;
    readonly onError: (error: unknown, requestId: string | undefined) => void;
  };
  /** Starts the metrics listener, if it is configured. Returns the problem with the setting that prevents it. */
  readonly serveMetrics: (
    server: Server,
    searchStatus: (() => SearchStatus) | undefined,
  ) => Promise<SettingProblem | undefined>;
  /** Stops the metrics listener and flushes the log. Must be called last, so that metrics cover the whole shutdown. */
  readonly end: () => Promise<void>;
}

/** Maximum time that a shutdown waits for a running scrape. */
const scrapeMs = 1000;

export const startTelemetry = async (
  settings: Settings,
  sourceOf: (setting: string) => string,
  log: Log,
): Promise<Telemetry> => {
  const { host, port } = settings.metrics;
  const metrics = port === null ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  let listener: Server | undefined;
  const onResponse = both(settings.log.level === 'info' ? requestLines(log) : undefined, metrics?.onResponse);
  return {
    observer: metrics?.observer ?? {},
    hooks: {
      ...(onResponse && { onResponse }),
      ...(metrics && { onRateLimited: metrics.onRateLimited }),
      onError: (error, requestId) => log('error', 'unexpected error', { requestId, error: redactError(error) }),
    },
    serveMetrics: async (server, searchStatus) => {
      if (!metrics || port === null) return undefined;
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
    end: async () => {
      if (listener?.listening) await drain(listener, scrapeMs);
      log.flush();
    },
  };
};

type OnResponse = (report: RequestReport) => void;

const both = (one: OnResponse | undefined, other: OnResponse | undefined): OnResponse | undefined =>
  one && other
    ? (report) => {
        one(report);
        other(report);
      }
    : (one ?? other);
