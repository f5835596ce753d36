import type { SearchStatus } from '@portico/core';
import { Counter, Gauge, type Registry } from 'prom-client';

/** How the search half is doing, as it counts itself: read when it is scraped. */
export const searchMetrics = (registry: Registry, status: () => SearchStatus): void => {
  const registers: Registry[] = [];
  const pending = new Gauge({
    name: 'portico_search_pending',
    help: 'Legs that wait for a callback.',
    registers,
    collect() {
      this.set(status().pending);
    },
  });
  const callbacks = new Counter({
    name: 'portico_search_callbacks_total',
    help: "Sellers' callbacks, by what became of them.",
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(status().callbacks)) this.inc({ outcome }, count);
    },
  });
  for (const metric of [pending, callbacks]) registry.registerMetric(metric);
};
