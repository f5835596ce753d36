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
  const keySets: { loadedAt: number }[] = [];
  const age = new Gauge({
    name: 'portico_identity_keys_age_seconds',
    help: 'Time since the keys of the identity provider were last loaded; of several providers, the longest. +Inf before the first time.',
    registers: [],
    collect() {
      const loadedAt = keySets.length === 0 ? -Infinity : Math.min(...keySets.map((keys) => keys.loadedAt));
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
  return {
    /** Creates the observer of one identity provider. */
    keySetObserver: (): KeySetObserver => {
      const keys = { loadedAt: -Infinity };
      keySets.push(keys);
      return {
        keysLoaded: () => {
          keys.loadedAt = clock.monotonic();
        },
        keysFailed: (reason) => failures.inc({ reason }),
      };
    },
    onResponse: ({ problem }: RequestReport): void => {
      if (problem?.refusal) refused.inc({ reason: problem.refusal });
    },
  };
};
