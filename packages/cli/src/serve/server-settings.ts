import type { ConnectionLimits, PagesSettings } from '@portico/adapters-koa';
import { personaNames, type ServiceName } from '@portico/core';
import { signInProvider } from '../settings/sections/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { configuredServices } from '../settings/configured-services.ts';
import { servesSessions } from '../settings/sections/session-schema.ts';

/** Returns the settings of the pages: directory, sign-in, services, and the personas that may search. */
export const pagesOf = (settings: Settings, services: readonly ServiceName[]): PagesSettings | undefined => {
  const { directory, ...signIn } = settings.pages;
  const provider = signInProvider(settings);
  if (directory === null || !provider) return undefined;
  const { issuer, tokenUrl } = provider;
  const { personas } = settings.search;
  return {
    directory,
    config: {
      issuer,
      ...signIn,
      personas: personas && personaNames(personas),
      services,
      ...(servesSessions(settings) && { session: true }),
    },
    // With sessions, the pages send no request to the identity provider.
    connectTo: servesSessions(settings)
      ? []
      : [issuer, tokenUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
  };
};

/** Raises the idle timeout of connections above the timeouts of the search and the services. */
export const connectionLimits = ({ connections, search, downstreams }: Settings): ConnectionLimits => {
  const { drainDelayMs: _unused, idleTimeoutMs, ...limits } = connections;
  const services = configuredServices({ downstreams }).map(([, { timeoutMs }]) => timeoutMs);
  const timeouts = [search.timeoutMs, ...services];
  return { ...limits, idleTimeoutMs: Math.max(idleTimeoutMs, 2 * Math.max(...timeouts) + 5000) };
};
