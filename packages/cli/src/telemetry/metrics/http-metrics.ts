import type { Server, ServerResponse } from 'node:http';
import type { RequestReport } from '@portico/adapters-koa';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

/** Anything else that a client may send is one label. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Requests by route, all labels from closed sets: rate, errors, duration. */
export const httpMetrics = (registry: Registry) => {
  const registers = [registry];
  const requests = new Counter({
    name: 'portico_http_requests_total',
    help: 'Requests that were answered, or cut off.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const cuts = new Counter({
    name: 'portico_http_requests_cut_total',
    help: 'Requests whose connection closed before everything was sent.',
    labelNames: ['route'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_http_request_duration_seconds',
    help: "From a request's head to the last byte of its answer.",
    labelNames: ['route'],
    buckets: durationBuckets,
    registers,
  });
  const limited = new Counter({
    name: 'portico_http_rate_limited_total',
    help: 'Requests that were turned away because a member or an address asked too often.',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of ['member', 'address']) limited.inc({ kind }, 0);
  const inFlight = new Gauge({
    name: 'portico_http_requests_in_flight',
    help: 'Requests that are being answered at this moment.',
    registers,
  });
  const leave = () => inFlight.dec();
  return {
    onResponse: ({ method, route, status, outcome, durationMs }: RequestReport): void => {
      requests.inc({ method: methods.has(method) ? method : 'other', route, status });
      durations.observe({ route }, durationMs / 1000);
      cuts.inc({ route }, outcome === 'cut' ? 1 : 0);
    },
    onRateLimited: (kind: 'member' | 'address'): void => limited.inc({ kind }),
    watch: (server: Server): void => {
      server.on('request', (_request, response: ServerResponse) => {
        inFlight.inc();
        response.on('close', leave);
      });
    },
  };
};
