import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsFile, settingsOf } from '../../settings/settings-file.test.support.ts';
import { logOf, measuredPortico, type LogEntry } from './measured-portico.test.support.ts';
import { startTelemetry } from '../telemetry.ts';

const test = { onTestFinished };

/** Starts telemetry with these settings. */
const startWith = async (metrics: object, env: Readonly<Record<string, string>> = {}) => {
  const { settings, sourceOf } = settingsOf({ flags: { '--config': settingsFile({ metrics }) }, env });
  const entries: LogEntry[] = [];
  const { serveMetrics, hooks, end } = await startTelemetry(settings, sourceOf, logOf(entries), { version: '1.2.3' });
  onTestFinished(end);
  return { problem: await serveMetrics(createServer(), undefined), hooks, entries };
};

describe('the metrics listener', () => {
  it('serves only the metrics, in the text format of Prometheus', async () => {
    const { metricsUrl, entries } = await measuredPortico(test, () => {});
    const response = await fetch(metricsUrl);

    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ]);
    expect((await fetch(`${metricsUrl}?name[]=up`)).status).toBe(200);
    expect((await fetch(metricsUrl, { method: 'HEAD' })).status).toBe(200);
    const posted = await fetch(metricsUrl, { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const path of ['/', '/metrics/', '/me/coverage', '/health', '/api/legs'])
      expect((await fetch(new URL(path, metricsUrl))).status).toBe(404);
    expect(entries.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('serves no metrics on the main listener', async () => {
    const { url } = await measuredPortico(test, () => {});

    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('closes the metrics listener while clients have idle connections', async () => {
    const { metricsUrl, end } = await measuredPortico(test, () => {});
    await (await fetch(metricsUrl)).text();
    await end();

    await expect(fetch(metricsUrl)).rejects.toThrow('fetch failed');
  });

  it('reports a metrics host that it cannot bind to', async () => {
    // An address for documentation, which no machine has (RFC 5737).
    const { problem } = await startWith({ port: 0 }, { METRICS_HOST: '192.0.2.1' });

    expect(problem).toEqual({
      setting: 'metrics.host',
      source: 'METRICS_HOST',
      message: expect.stringMatching(/^cannot bind to 192\.0\.2\.1 .*check --metrics-host or METRICS_HOST$/),
    });
  });

  it('starts no metrics listener by default', async () => {
    const { problem, entries } = await startWith({}, { LOG_LEVEL: 'warn' });

    expect([problem, entries]).toEqual([undefined, []]);
  });

  it('sets no onResponse hook without metrics and without a request log', async () => {
    const { hooks } = await startWith({}, { LOG_LEVEL: 'error' });

    expect(hooks).not.toHaveProperty('onResponse');
  });
});
