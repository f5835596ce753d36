import type { ConnectionLimits, PagesSettings } from '@portico/adapters-koa';
import type { ServiceName } from '@portico/core';
import type { Settings } from '../settings/schema.ts';
import { configuredServices } from '../settings/show.ts';

/** Returns the settings of the pages: directory, sign-in, services, and the personas that may search. */
export const pagesOf = (
  { pages: { directory, ...signIn }, identity, search }: Settings,
  services: readonly ServiceName[],
): PagesSettings | undefined =>
  directory === null || !identity
    ? undefined
    : {
        directory,
        config: { issuer: identity.issuer, ...signIn, personas: search.personas, services },
        connectTo: [identity.issuer, identity.tokenUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
      };

/** Raises the idle timeout of connections above the timeouts of the search and the services. */
export const connectionLimits = ({ connections, search, downstreams }: Settings): ConnectionLimits => {
  const { drainDelayMs: _unused, idleTimeoutMs, ...limits } = connections;
  const services = configuredServices({ downstreams }).map(([, { timeoutMs }]) => timeoutMs);
  const timeouts = [search.timeoutMs, ...services];
  return { ...limits, idleTimeoutMs: Math.max(idleTimeoutMs, 2 * Math.max(...timeouts) + 5000) };
};
