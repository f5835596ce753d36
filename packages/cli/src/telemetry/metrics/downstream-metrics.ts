import type { CallOutcome, CircuitState, ServiceObserver } from '@portico/adapters-http';
import { upstreamReasons } from '@portico/core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

const outcomes: readonly CallOutcome[] = ['ok', 'not-found', ...upstreamReasons, 'overloaded', 'abandoned'];

const circuitStates = Object.keys({
  closed: true,
  open: true,
  'half-open': true,
} satisfies Record<CircuitState, true>);

/** What the services behind the member routes do to us: calls, failures, durations, repetitions, circuit breakers. */
export const downstreamMetrics = (registry: Registry): ServiceObserver => {
  const registers = [registry];
  const calls = new Counter({
    name: 'portico_downstream_calls_total',
    help: 'Calls to a service, by how they ended.',
    labelNames: ['service', 'outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'portico_downstream_call_duration_seconds',
    help: 'Duration of a call to a service, waiting for its turn and a repetition included.',
    labelNames: ['service'],
    buckets: durationBuckets,
    registers,
  });
  const repetitions = new Counter({
    name: 'portico_downstream_retries_total',
    help: 'Calls to a service that were tried once more.',
    labelNames: ['service'],
    registers,
  });
  const circuit = new Gauge({
    name: 'portico_downstream_circuit_state',
    help: "1 for the state that a service's circuit breaker is in, 0 for the others.",
    labelNames: ['service', 'state'],
    registers,
  });
  return {
    called: (service, outcome, durationMs) => {
      calls.inc({ service, outcome });
      durations.observe({ service }, durationMs / 1000);
    },
    retried: (service) => repetitions.inc({ service }),
    // Said at the start too, so that every service is there with zeros before its first call.
    circuit: (service, current) => {
      for (const outcome of outcomes) calls.inc({ service, outcome }, 0);
      durations.zero({ service });
      repetitions.inc({ service }, 0);
      for (const state of circuitStates) circuit.set({ service, state }, state === current ? 1 : 0);
    },
  };
};
