import type { Server } from 'node:http';
import type { ServiceObserver } from '@portico/adapters-http';
import type { RequestReport } from '@portico/adapters-koa';
import type { SearchStatus } from '@portico/core';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { downstreamMetrics } from './downstream-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { searchMetrics } from './search-metrics.ts';

/** The metrics of a server, in the format of Prometheus, and the hooks that feed them. */
export interface Metrics {
  readonly registry: Registry;
  readonly onResponse: (report: RequestReport) => void;
  readonly onRateLimited: (kind: 'member' | 'address') => void;
  readonly observer: ServiceObserver;
  readonly watchServer: (server: Server) => void;
  readonly watchSearch: (status: () => SearchStatus) => void;
}

export const createMetrics = (): Metrics => {
  const registry = new Registry();
  // Without a prefix: dashboards for Node use these names.
  collectDefaultMetrics({ register: registry });
  const { onResponse, onRateLimited, watch } = httpMetrics(registry);
  return {
    registry,
    onResponse,
    onRateLimited,
    observer: downstreamMetrics(registry),
    watchServer: watch,
    watchSearch: (status) => searchMetrics(registry, status),
  };
};
