import type { Server } from 'node:http';
import type { KeySetObserver, ServiceObserver } from '@portico/adapters-http';
import type { LegReport, RequestReport } from '@portico/adapters-koa';
import type { SessionEvent } from '@portico/adapters-session';
import type { Clock, SearchStatus } from '@portico/core';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { OnTlsReload } from '../../settings/tls-files.ts';
import type { RedisProblem } from '../lines/redis-lines.ts';
import { downstreamMetrics } from './downstream-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { identityMetrics } from './identity-metrics.ts';
import { buildInfo, redisMetrics } from './instance-metrics.ts';
import { legMetrics, searchMetrics } from './search-metrics.ts';
import { sessionMetrics } from './session-metrics.ts';

/** Observes the services, the keys of the identity provider and the TLS files. */
export interface Observer extends ServiceObserver {
  /** Creates the observer of one identity provider. */
  readonly keySetObserver?: () => KeySetObserver;
  readonly tlsReloaded?: OnTlsReload;
}

/** The metrics of a server, in the format of Prometheus, and the hooks that feed them. */
export interface Metrics {
  readonly registry: Registry;
  readonly onResponse: (report: RequestReport) => void;
  readonly onRateLimited: (kind: 'member' | 'address') => void;
  readonly onLeg: (report: LegReport) => void;
  readonly onSession: (event: SessionEvent) => void;
  readonly observer: Observer;
  readonly watchServer: (server: Server) => void;
  readonly watchSearch: (status: () => SearchStatus) => void;
  readonly watchRedis: (problem: RedisProblem) => void;
}

export interface MetricsSettings {
  readonly version: string;
  /** The ids of the legs. Empty without the search API. */
  readonly legs: readonly string[];
  readonly clock: Clock;
}

export const createMetrics = ({ version, legs, clock }: MetricsSettings): Metrics => {
  const registry = new Registry();
  // Without a prefix: dashboards for Node use these names.
  collectDefaultMetrics({ register: registry });
  buildInfo(registry, version);
  const { onResponse, onRateLimited, watch } = httpMetrics(registry);
  const identity = identityMetrics(registry, clock);
  return {
    registry,
    onResponse: (report) => {
      onResponse(report);
      identity.onResponse(report);
    },
    onRateLimited,
    onLeg: legMetrics(registry, legs),
    onSession: sessionMetrics(registry),
    observer: { ...downstreamMetrics(registry), keySetObserver: identity.keySetObserver },
    watchServer: watch,
    watchSearch: (status) => searchMetrics(registry, status),
    watchRedis: (problem) => redisMetrics(registry, problem),
  };
};
