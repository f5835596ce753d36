import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hasRedis, startRedis } from '@portico/demo/cluster';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { reservePort } from '@portico/demo/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolEnvironment } from '../deployment/installed-tool.ts';
import { hasPrometheus, type Prometheus, type Sample, startPrometheus } from './prometheus.ts';

const fileIn = (name: string) => fileURLToPath(new URL(`../../docs/deploy/${name}`, import.meta.url));
const alertsFile = fileIn('alerts.yaml');
const dashboard = JSON.parse(readFileSync(fileIn('grafana-dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
};

/** The expressions of the dashboard, with the variables that Grafana replaces. */
const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(
    ({ expr }) =>
      [
        title,
        expr.replaceAll('$__rate_interval', '10s').replaceAll('$job', '.+').replaceAll('$instance', '.+'),
      ] as const,
  ),
);
const alerts = Array.from(readFileSync(alertsFile, 'utf8').matchAll(/- alert: (\w+)/g), ([, name]) => name);

/** Whether there is a sample with a number. `NaN` is the result of a division without requests. */
const hasData = (samples: readonly Sample[]): boolean => samples.some(({ value }) => value[1] !== 'NaN');

/** How long a state may take on a busy machine until Prometheus shows it. */
const patience = { timeout: 60_000, interval: 200 };

describe.skipIf(!hasPrometheus || !hasRedis)('dashboard and alerts in a real Prometheus', () => {
  let environment: Environment;
  let prometheus: Prometheus;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let load: Promise<void>;
  const loading = new AbortController();

  /** Sends requests of every kind until the test ends: successes, a failing service, refused tokens, searches. */
  const sendRequests = async (): Promise<void> => {
    const { url } = environment.portico;
    const member = await environment.as('member-a');
    const search = { persona: 'member', query: 'health', user_id: 'demo' };
    const requests = [
      () => member('/me/coverage'),
      () => member('/me/claims'),
      () => member('/me/documents'),
      () => fetch(`${url}/me/coverage`, { headers: { authorization: 'Bearer canary' } }),
      () =>
        fetch(`${url}/api/search`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(search),
        }),
    ];
    while (!loading.signal.aborted) for (const send of requests) await (await send()).arrayBuffer();
  };

  beforeAll(async () => {
    redis = await startRedis();
    let metricsPort = 0;
    environment = await startEnvironment({
      settings: async () => ({
        metrics: { port: (metricsPort = await reservePort()) },
        redis: { url: `redis://127.0.0.1:${redis.port}` },
        limits: { memberRequests: null },
      }),
    });
    await environment.sandbox.services.claims.setFault({ kind: 'status', status: 503 });
    await environment.sandbox.search.mh.gateway.setFault({ kind: 'status', status: 500 });
    prometheus = await startPrometheus(`127.0.0.1:${metricsPort}`, alertsFile);
    load = sendRequests();
  });
  afterAll(async () => {
    loading.abort();
    await load;
    await Promise.all([prometheus.stop(), environment.close()]);
    await redis.stop();
  });

  it('promtool accepts the alerts', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', alertsFile], {
      encoding: 'utf8',
      env: toolEnvironment,
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${alerts.length} rules found`);
  });

  it.each(expressions)('returns data for the panel %s: %s', async (_title, expression) => {
    await expect.poll(async () => hasData(await prometheus.query(expression)), patience).toBe(true);
  });

  it('evaluates every alert without an error', async () => {
    await expect
      .poll(async () => (await prometheus.rules()).map(({ name, health }) => [name, health]), patience)
      .toEqual(alerts.map((name) => [name, 'ok']));
  });

  const redisUp = async () => (await prometheus.query('portico_redis_up'))[0]?.value[1];

  const isActive = (alert: string) => async () =>
    (await prometheus.rules()).some(({ name, state }) => name === alert && state !== 'inactive');

  it.each(['PorticoDownstreamFails', 'PorticoFails', 'PorticoLegFails', 'PorticoTokensRefused'])(
    'activates %s, because a service and a network fail and tokens are refused',
    async (alert) => {
      await expect.poll(isActive(alert), patience).toBe(true);
    },
  );

  it('activates PorticoRedisDown and logs a warning when Redis stops', async () => {
    await expect.poll(redisUp, patience).toBe('1');
    await redis.stop();
    await expect.poll(isActive('PorticoRedisDown'), patience).toBe(true);
    await expect.poll(environment.log, patience).toContain('Redis is unavailable');
    await redis.start();
    await expect.poll(redisUp, patience).toBe('1');
    await expect.poll(environment.log, patience).toContain('Redis is available again');
  });

  it('logs why a token was refused, and which service failed', async () => {
    const lines = environment
      .log()
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.includes('"level":"warn"'))
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toContainEqual(
      expect.objectContaining({ message: 'a token was refused', reason: 'malformed', route: '/me/coverage' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'request',
        route: '/me/claims',
        status: 502,
        code: 'upstream-failure',
        service: 'claims',
        reason: 'status',
        upstreamStatus: 503,
      }),
    );
    expect(environment.log()).not.toContain('canary');
  });
});
