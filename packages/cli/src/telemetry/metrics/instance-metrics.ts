import { Gauge, type Registry } from 'prom-client';
import type { RedisProblem } from '../lines/redis-lines.ts';

/** Registers the versions of Portico and Node. */
export const buildInfo = (registry: Registry, version: string): void =>
  new Gauge({
    name: 'portico_build_info',
    help: 'Always 1. The labels are the versions of Portico and Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);

/** Registers the status of Redis, which is read at each scrape. */
export const redisMetrics = (registry: Registry, problem: RedisProblem): void =>
  registry.registerMetric(
    new Gauge({
      name: 'portico_redis_up',
      help: '1 if Redis can be used, 0 if it is unreachable, slow or refuses writes.',
      registers: [],
      collect() {
        this.set(problem() === undefined ? 1 : 0);
      },
    }),
  );
