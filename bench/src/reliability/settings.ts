import { type Outside, serviceNames } from './outside.ts';
import { issuer } from './members.ts';
import { ackTimeoutMs, searchTimeoutMs } from './seller.ts';

/** Whether the breaker of a service may open. */
export type HasBreaker = (service: string) => boolean;

export const timeoutMs = 2000;
export const breakForMs = 1000;
export const maxRequestBytes = 65_536;
/** Less than a service's "too large", more than the largest good answer. */
const maxResponseBytes = 262_144;

/** Both halves of Portico in this world. Deadlines are short, so that much happens in little time; the rest is as it ships. */
export const settingsFor = (outside: Outside, port: number, hasBreaker: HasBreaker) => {
  const leg = (name: 'moa' | 'mh') => ({
    label: name,
    domain: 'schemes:bench',
    version: '1.1.0',
    city: 'std:080',
    categoryCode: 'bench',
    bapId: 'bap.bench.example',
    bapUri: `http://127.0.0.1:${port}`,
    gatewayUrl: outside.urlOf(name),
  });
  const service = (name: (typeof serviceNames)[number]) => ({
    url: outside.urlOf(name),
    timeoutMs,
    breakForMs,
    ...(!hasBreaker(name) && { breakAfterFailures: 1_000_000 }),
  });
  return {
    listen: { host: '127.0.0.1', port },
    identity: { issuer, audience: ['portico'], jwksUrl: `${outside.urlOf('identity')}/jwks`, keyCacheSeconds: 15 },
    downstreams: Object.fromEntries(serviceNames.map((name) => [name, service(name)])),
    limits: { maxRequestBytes, maxResponseBytes },
    search: { timeoutMs: searchTimeoutMs, ackTimeoutMs, legs: { moa: leg('moa'), mh: leg('mh') } },
  };
};
