import { createMetrics } from '@portico/cli/internals';
import { systemClock } from '@portico/core/system';
import { code, generated, table } from './tables.ts';

/** Returns the page of Portico's metrics, from the registry that is served. */
export const metricsPage = (): string => {
  const { registry, watchRedis, watchSearch } = createMetrics({ version: '0.0.0', legs: [], clock: systemClock });
  watchSearch(() => ({
    status: 'ok',
    pending: 0,
    callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0, mismatched: 0 },
  }));
  watchRedis(() => undefined);
  const all = registry.getMetricsAsArray() as unknown as readonly Metric[];
  const ours = all.filter(({ name }) => name.startsWith('portico_'));
  return generated(
    'Metrics',
    [
      'This page lists the metrics of `GET /metrics`, which `metrics.port` enables on a separate listener in Prometheus’ text',
      'format. [Operations](../operations.md#metrics) has the values of the labels, alerts and a dashboard.',
    ].join('\n'),
    table(
      ['Metric', 'Type', 'Labels', 'Description'],
      ours.map(({ name, type, help, labelNames }) => [
        code(name),
        type,
        labelNames.map(code).join(', '),
        help.replace(/\.$/, ''),
      ]),
    ),
    'In addition there are prom-client’s default metrics of Node and the process, `nodejs_*` and `process_*`.',
  );
};

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}
