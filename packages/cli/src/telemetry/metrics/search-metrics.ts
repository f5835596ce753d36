import type { SearchStatus } from '@portico/core';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Registers the metrics of the search API. They read the current status at each scrape. */
export const searchMetrics = (registry: Registry, status: () => SearchStatus): void => {
  const registers: Registry[] = [];
  const pending = new Gauge({
    name: 'portico_search_pending',
    help: 'Search legs waiting for a callback.',
    registers,
    collect() {
      this.set(status().pending);
    },
  });
  const callbacks = new Counter({
    name: 'portico_search_callbacks_total',
    help: 'Callbacks from sellers, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(status().callbacks)) this.inc({ outcome }, count);
    },
  });
  for (const metric of [pending, callbacks]) registry.registerMetric(metric);
};
