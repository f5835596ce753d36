import { createMetrics } from '@portico/cli/internals';
import { code, generated, table } from './tables.ts';

/** Every metric of ours, from the registry that is served: name, kind, labels, help, buckets. */
export const metricsPage = async (): Promise<string> => {
  const { registry, watchSearch } = createMetrics();
  watchSearch(() => ({
    status: 'ok',
    pending: 0,
    callbacks: { delivered: 0, duplicate: 0, late: 0, unknown: 0, rejected: 0 },
  }));
  const all = (await registry.getMetricsAsJSON()) as unknown as readonly Metric[];
  const ours = all.filter(({ name }) => name.startsWith('portico_'));
  const labels = new Map(
    (
      registry.getMetricsAsArray() as unknown as readonly { readonly name: string; readonly labelNames: string[] }[]
    ).map(({ name, labelNames }) => [name, labelNames]),
  );
  return generated(
    'Metrics',
    [
      '`metrics.port` has `GET /metrics` served in Prometheus’ text format, on a listener of its own. What the labels',
      'may be, alerts and a dashboard are in [Operations](../operations.md#metrics).',
    ].join('\n'),
    table(
      ['metric', 'kind', 'labels', 'is'],
      ours.map(({ name, type, help }) => [
        code(name),
        type,
        (labels.get(name) ?? []).map(code).join(', '),
        help.replace(/\.$/, ''),
      ]),
    ),
    'Beside them stand prom-client’s default metrics of Node and the process, `nodejs_*` and `process_*`.',
  );
};

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}
