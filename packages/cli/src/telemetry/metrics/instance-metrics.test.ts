import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { buildInfo, redisMetrics } from './instance-metrics.ts';

it('buildInfo exports the versions of Portico and Node', async () => {
  const registry = new Registry();
  buildInfo(registry, '1.2.3');

  expect(await registry.metrics()).toContain(`portico_build_info{version="1.2.3",node="${process.version}"} 1`);
});

it('redisMetrics exports whether Redis can be used at the time of the scrape', async () => {
  const registry = new Registry();
  let problem: string | undefined = 'Redis is unreachable';
  redisMetrics(registry, () => problem);
  expect(await registry.metrics()).toMatch(/^portico_redis_up 0$/m);
  problem = undefined;

  expect(await registry.metrics()).toMatch(/^portico_redis_up 1$/m);
});
