import type { KeySetObserver } from '@portico/adapters-http';
import type { RequestReport } from '@portico/adapters-koa';
import { type Clock, tokenRefusals, upstreamReasons } from '@portico/core';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Creates the metrics of sign-in: refused tokens, and the keys of the identity provider. */
export const identityMetrics = (registry: Registry, clock: Clock) => {
  const registers = [registry];
  const refused = new Counter({
    name: 'portico_tokens_refused_total',
    help: 'Refused access tokens, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of tokenRefusals) refused.inc({ reason }, 0);
  let loadedAt = -Infinity;
  const age = new Gauge({
    name: 'portico_identity_keys_age_seconds',
    help: 'Time since the keys of the identity provider were last loaded. +Inf before the first time.',
    registers: [],
    collect() {
      this.set((clock.monotonic() - loadedAt) / 1000);
    },
  });
  registry.registerMetric(age);
  const failures = new Counter({
    name: 'portico_identity_keys_failures_total',
    help: 'Failed requests for the keys of the identity provider, by reason.',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of upstreamReasons.filter((reason) => reason !== 'circuit-open')) failures.inc({ reason }, 0);
  const observer: KeySetObserver = {
    keysLoaded: () => {
      loadedAt = clock.monotonic();
    },
    keysFailed: (reason) => failures.inc({ reason }),
  };
  return {
    observer,
    onResponse: ({ problem }: RequestReport): void => {
      if (problem?.refusal) refused.inc({ reason: problem.refusal });
    },
  };
};
