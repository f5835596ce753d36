import type { CallOutcome, CircuitState, ServiceObserver } from '@portico/adapters-http';
import { upstreamReasons } from '@portico/core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

const outcomes: readonly CallOutcome[] = ['ok', 'not-found', ...upstreamReasons, 'overloaded', 'cancelled'];

const circuitStates = Object.keys({
  closed: true,
  open: true,
  'half-open': true,
} satisfies Record<CircuitState, true>);

/** Creates the metrics of the downstream services: calls, outcomes, durations, retries, circuit breakers. */
export const downstreamMetrics = (registry: Registry): ServiceObserver => {
  const registers = [registry];
  const calls = new Counter({
    name: 'portico_downstream_calls_total',
    help: 'Calls to downstream services, by outcome.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_downstream_call_duration_seconds',
    help: 'Duration of calls to downstream services, including queueing and retries.',
    labelNames: ['service'],
    buckets: durationBuckets,
    registers,
  });
  const retries = new Counter({
    name: 'portico_downstream_retries_total',
    help: 'Retries of calls to downstream services.',
    labelNames: ['service'],
    registers,
  });
  const circuit = new Gauge({
    name: 'portico_downstream_circuit_state',
    help: 'Circuit breaker state per service: 1 for the current state, 0 for the others.',
    labelNames: ['service', 'state'],
    registers,
  });
  return {
    called: (service, outcome, durationMs) => {
      calls.inc({ service, outcome });
      durations.observe({ service }, durationMs / 1000);
    },
    retried: (service) => retries.inc({ service }),
    // Also called at startup, so that every service has series with zeros before its first call.
    circuit: (service, current) => {
      for (const outcome of outcomes) calls.inc({ service, outcome }, 0);
      durations.zero({ service });
      retries.inc({ service }, 0);
      for (const state of circuitStates) circuit.set({ service, state }, state === current ? 1 : 0);
    },
  };
};
