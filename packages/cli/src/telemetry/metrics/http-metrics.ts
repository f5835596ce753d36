import type { Server, ServerResponse } from 'node:http';
import type { RequestReport } from '@portico/adapters-koa';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

/** All other methods share the label `other`. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Creates the metrics of HTTP requests: rate, errors, duration. All label values come from closed sets. */
export const httpMetrics = (registry: Registry) => {
  const registers = [registry];
  const requests = new Counter({
    name: 'portico_http_requests_total',
    help: 'HTTP requests, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const interrupted = new Counter({
    name: 'portico_http_requests_cut_total',
    help: 'HTTP requests whose connection closed before the response was complete.',
    labelNames: ['route'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the header of a request to the last byte of its response.',
    labelNames: ['route'],
    buckets: durationBuckets,
    registers,
  });
  const limited = new Counter({
    name: 'portico_http_rate_limited_total',
    help: 'HTTP requests rejected by a rate limit, per member or per IP address.',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of ['member', 'address']) limited.inc({ kind }, 0);
  const inFlight = new Gauge({
    name: 'portico_http_requests_in_flight',
    help: 'HTTP requests in progress.',
    registers,
  });
  const onClose = () => inFlight.dec();
  return {
    onResponse: ({ method, route, status, outcome, durationMs }: RequestReport): void => {
      requests.inc({ method: methods.has(method) ? method : 'other', route, status });
      durations.observe({ route }, durationMs / 1000);
      interrupted.inc({ route }, outcome === 'cut' ? 1 : 0);
    },
    onRateLimited: (kind: 'member' | 'address'): void => limited.inc({ kind }),
    watch: (server: Server): void => {
      server.on('request', (_request, response: ServerResponse) => {
        inFlight.inc();
        response.on('close', onClose);
      });
    },
  };
};
