import type { IncomingMessage, ServerResponse } from 'node:http';
import { serverToken } from '@portico/adapters-koa/inversify';
import { searchUseCasesToken } from '@portico/core/inversify';
import { compose } from '../../serve/compose.ts';
import { listening } from '../../serve/running-server.test.support.ts';
import {
  identityProvider,
  legAt,
  memberEnvironment,
  type Test,
  webServer,
} from '../../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../../settings/settings-file.test.support.ts';
import { startTelemetry } from '../telemetry.ts';

/** A log entry. */
export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const logOf = (entries: LogEntry[]) =>
  Object.assign(
    (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void entries.push({ level, message, fields }),
    { flush: () => {} },
  );

/**
 * Starts a portico in this process with both APIs and metrics. One server plays all services; `gatewayUrl` is the gateway
 * of its only leg.
 */
export const measuredPortico = async (
  test: Test,
  handle: (response: ServerResponse, request: IncomingMessage) => void,
  { gatewayUrl = 'http://127.0.0.1:9', search = {} }: { readonly gatewayUrl?: string; readonly search?: object } = {},
) => {
  const identity = await identityProvider(test);
  const services = await webServer(test, handle);
  const { settings, sourceOf } = settingsOf({
    flags: { '--config': settingsFile({ search: { legs: { moa: legAt(gatewayUrl) }, ...search } }) },
    env: { ...memberEnvironment(identity.issuer, services.url), METRICS_PORT: '0' },
  });
  const entries: LogEntry[] = [];
  const telemetry = await startTelemetry(settings, sourceOf, logOf(entries), { version: '1.2.3' });
  const container = compose(settings, telemetry.observer);
  test.onTestFinished(telemetry.end);
  const url = await listening(test, container, telemetry.hooks);
  await telemetry.serveMetrics(container.get(serverToken), container.get(searchUseCasesToken).searchStatus);
  const metricsUrl = String(entries.find(({ message }) => message === 'serving metrics')?.fields['url']);
  const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
  return {
    url,
    metricsUrl,
    identity,
    services,
    entries,
    metrics,
    /** Returns the lines of the metrics that match. */
    series: async (wanted: RegExp): Promise<readonly string[]> =>
      (await metrics()).split('\n').filter((line) => !line.startsWith('#') && wanted.test(line)),
    watchRedis: telemetry.watchRedis,
    end: telemetry.end,
  };
};
