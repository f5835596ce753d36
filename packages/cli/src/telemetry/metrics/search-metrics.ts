import type { LegReport } from '@portico/adapters-koa';
import type { SearchStatus } from '@portico/core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

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
      // Mismatched callbacks are also counted as what became of them.
      const { mismatched: _, ...outcomes } = status().callbacks;
      for (const [outcome, count] of Object.entries(outcomes)) this.inc({ outcome }, count);
    },
  });
  const mismatched = new Counter({
    name: 'portico_search_mismatched_callbacks_total',
    help: 'Callbacks whose message_id, bap_id or domain differs from what was sent.',
    registers,
    collect() {
      this.reset();
      this.inc(status().callbacks.mismatched);
    },
  });
  for (const metric of [pending, callbacks, mismatched]) registry.registerMetric(metric);
};

const legOutcomes = Object.keys({
  delivered: true,
  'seller-error': true,
  unreachable: true,
  timeout: true,
  cancelled: true,
} satisfies Record<LegReport['outcome'], true>);

/** Creates the metrics of the legs with these ids. */
export const legMetrics = (registry: Registry, ids: readonly string[]) => {
  const registers = [registry];
  const legs = new Counter({
    name: 'portico_search_legs_total',
    help: 'Legs of searches, by outcome.',
    labelNames: ['leg', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_search_leg_duration_seconds',
    help: 'Time from the start of a search to the callback of a leg. Legs without a callback are not included.',
    labelNames: ['leg'],
    buckets: durationBuckets,
    registers,
  });
  for (const leg of ids) {
    for (const outcome of legOutcomes) legs.inc({ leg, outcome }, 0);
    durations.zero({ leg });
  }
  return ({ leg, outcome, durationMs }: LegReport): void => {
    legs.inc({ leg, outcome });
    if (outcome === 'delivered') durations.observe({ leg }, durationMs / 1000);
  };
};
