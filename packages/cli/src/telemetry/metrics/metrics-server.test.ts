import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webServer } from '../../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../../settings/settings-file.test.support.ts';
import { logOf, measuredPortico, type Told } from './measured-portico.test.support.ts';
import { startTelemetry } from '../telemetry.ts';

const test = { onTestFinished };

/** What becomes of metrics that are set like this. */
const beginning = async (metrics: object, env: Readonly<Record<string, string>> = {}) => {
  const { settings, sourceOf } = settingsOf({ flags: { '--config': settingsFile({ metrics }) }, env });
  const told: Told[] = [];
  const { serveMetrics, told: tells, end } = await startTelemetry(settings, sourceOf, logOf(told));
  onTestFinished(end);
  return { problem: await serveMetrics(createServer(), undefined), tells, told };
};

describe('the listener of the metrics', () => {
  it('serves them in the text format of Prometheus, and nothing else', async () => {
    const { metricsUrl, told } = await measuredPortico(test, () => {});
    const answer = await fetch(metricsUrl);

    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
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
    expect(told.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is the only place where they are', async () => {
    const { url } = await measuredPortico(test, () => {});

    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('ends when it is told to, also while somebody only holds a connection', async () => {
    const { metricsUrl, end } = await measuredPortico(test, () => {});
    await (await fetch(metricsUrl)).text();
    await end();

    await expect(fetch(metricsUrl)).rejects.toThrow('fetch failed');
  });

  it('says that the port is in use, and how to choose another', async () => {
    const { port } = new URL((await webServer(test, () => {})).url);
    const { problem, told } = await beginning({}, { METRICS_PORT: port });

    expect(problem).toEqual({
      setting: 'metrics.port',
      source: 'METRICS_PORT',
      message: `port ${port} on 127.0.0.1 is already in use; choose another one with --metrics-port, METRICS_PORT or metrics.port`,
    });
    expect(told).toEqual([]);
  });

  it('says that the host is not one of this machine', async () => {
    // RFC 5737: an address for documentation, which nobody has.
    const { problem } = await beginning({ port: 0 }, { METRICS_HOST: '192.0.2.1' });

    expect(problem).toEqual({
      setting: 'metrics.host',
      source: 'METRICS_HOST',
      message: expect.stringMatching(/^192\.0\.2\.1 cannot be listened on .*check --metrics-host or METRICS_HOST$/),
    });
  });

  it('is not there unless it is asked for', async () => {
    const { problem, told } = await beginning({}, { LOG_LEVEL: 'warn' });

    expect([problem, told]).toEqual([undefined, []]);
  });

  it('and a log that says nothing of requests leave requests without anybody to tell of', async () => {
    const { tells } = await beginning({}, { LOG_LEVEL: 'warn' });

    expect(tells).not.toHaveProperty('onResponse');
  });
});
