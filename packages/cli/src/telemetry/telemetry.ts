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

/** What a served instance tells whoever runs it: by its log, and by metrics when they are wanted. */
export interface Operations {
  /** For the services behind the member routes. */
  readonly observer: ServiceObserver;
  /** For `createServer`. `onResponse` is missing when nobody wants to know. */
  readonly told: {
    readonly onResponse?: (answer: RequestReport) => void;
    readonly onRateLimited?: (kind: 'member' | 'address') => void;
    readonly onError: (error: unknown, requestId: string | undefined) => void;
  };
  /** Serves metrics of the two from now on, if that is set; or gives the setting that is to blame. */
  readonly serveMetrics: (
    server: Server,
    searchStatus: (() => SearchStatus) | undefined,
  ) => Promise<SettingProblem | undefined>;
  /** To be the last thing: whoever watches sees the end of everything else. */
  readonly end: () => Promise<void>;
}

/** A scrape that is under way may finish; one that does not is not waited for. */
const scrapeMs = 1000;

export const startTelemetry = async (
  settings: Settings,
  sourceOf: (setting: string) => string,
  log: Log,
): Promise<Operations> => {
  const { host, port } = settings.metrics;
  const metrics = port === null ? undefined : (await import('./metrics/metrics.ts')).createMetrics();
  let listener: Server | undefined;
  const onResponse = both(settings.log.level === 'info' ? requestLines(log) : undefined, metrics?.onResponse);
  return {
    observer: metrics?.observer ?? {},
    told: {
      ...(onResponse && { onResponse }),
      ...(metrics && { onRateLimited: metrics.onRateLimited }),
      onError: (error, requestId) => log('error', 'unexpected error', { requestId, error: redactError(error) }),
    },
    serveMetrics: async (server, searchStatus) => {
      if (!metrics || port === null) return undefined;
      metrics.watchServer(server);
      if (searchStatus) metrics.watchSearch(searchStatus);
      listener = metricsServer(metrics.registry, (error) =>
        log('error', 'the metrics could not be collected', { error: redactError(error) }),
      );
      const listening = await listen(listener, { host, port }, sourceOf, 'metrics');
      if ('problem' in listening) return listening.problem;
      log('info', 'metrics are served', { url: `${listening.url}/metrics` });
      return undefined;
    },
    end: async () => {
      if (listener?.listening) await drain(listener, scrapeMs);
      log.flush();
    },
  };
};

type OnAnswer = (answer: RequestReport) => void;

const both = (one: OnAnswer | undefined, other: OnAnswer | undefined): OnAnswer | undefined =>
  one && other
    ? (answer) => {
        one(answer);
        other(answer);
      }
    : (one ?? other);
