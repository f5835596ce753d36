import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { searchUseCasesToken } from '@portico/core/inversify';
import type { TestContext } from 'vitest';
import { compose } from '../../serve/compose.ts';
import { identityProvider, legAt, memberEnvironment, webServer } from '../../program/outside-world.test.support.ts';
import { settingsFile, settingsOf } from '../../settings/settings-file.test.support.ts';
import { startTelemetry } from '../telemetry.ts';

type Test = Pick<TestContext, 'onTestFinished'>;

/** What a log was told. */
export interface Told {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const logOf = (told: Told[]) =>
  Object.assign(
    (level: string, message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void told.push({ level, message, fields }),
    { flush: () => {} },
  );

/**
 * A portico in this process that serves both halves and its metrics, in front of one server that plays all services and a
 * network whose gateway is there.
 */
export const measuredPortico = async (
  test: Test,
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  { gatewayUrl = 'http://127.0.0.1:9', search = {} }: { readonly gatewayUrl?: string; readonly search?: object } = {},
) => {
  const identity = await identityProvider(test);
  const services = await webServer(test, answer);
  const { settings, sourceOf } = settingsOf({
    flags: { '--config': settingsFile({ search: { legs: { moa: legAt(gatewayUrl) }, ...search } }) },
    env: { ...memberEnvironment(identity.issuer, services.url), METRICS_PORT: '0' },
  });
  const told: Told[] = [];
  const operations = await startTelemetry(settings, sourceOf, logOf(told));
  const container = compose(settings, operations.observer);
  container.load(koaModule(operations.told));
  const server = container.get(serverToken);
  await operations.serveMetrics(server, container.get(searchUseCasesToken).searchStatus);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  test.onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await operations.end();
  });
  const metricsUrl = String(told.find(({ message }) => message === 'metrics are served')?.fields['url']);
  const metrics = async (): Promise<string> => (await fetch(metricsUrl)).text();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    metricsUrl,
    identity,
    services,
    told,
    metrics,
    /** The lines of the metrics that this describes. */
    series: async (wanted: RegExp): Promise<readonly string[]> =>
      (await metrics()).split('\n').filter((line) => !line.startsWith('#') && wanted.test(line)),
    end: operations.end,
  };
};
