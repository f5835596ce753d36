import type { ConnectionLimits, PagesSettings } from '@portico/adapters-koa';
import { personaNames, type ServiceName } from '@portico/core';
import { identityProviders, signInProvider } from '../settings/sections/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { configuredServices } from '../settings/configured-services.ts';
import { servesSessions } from '../settings/sections/session-schema.ts';

/** Returns the settings of the pages: directory, sign-in, services, and the personas that may search. */
export const pagesOf = (settings: Settings, services: readonly ServiceName[]): PagesSettings | undefined => {
  const { directory, ...signIn } = settings.pages;
  const provider = signInProvider(settings);
  if (directory === undefined || !provider) return undefined;
  const { issuer, tokenUrl } = provider;
  const { personas } = settings.search;
  return {
    directory,
    config: {
      issuer,
      ...signIn,
      personas: personas ? personaNames(personas) : null,
      services,
      ...(servesSessions(settings) && { session: true }),
    },
    // With sessions, the pages send no request to the identity provider.
    connectTo: servesSessions(settings)
      ? []
      : [issuer, tokenUrl].flatMap((url) => (url === undefined ? [] : [new URL(url).origin])),
  };
};

/** The longest time that a request may wait for the search, a service or an identity provider. */
export const longestTimeoutMs = ({ search, downstreams, identity }: Settings): number =>
  Math.max(
    search.timeoutMs,
    ...configuredServices({ downstreams }).map(([, { timeoutMs }]) => timeoutMs),
    ...identityProviders({ identity }).map(({ timeoutMs }) => timeoutMs),
  );

/** Raises the idle timeout of connections above the timeouts of what requests wait for. */
export const connectionLimits = (settings: Settings): ConnectionLimits => {
  const { drainDelayMs: _unused, idleTimeoutMs, ...limits } = settings.connections;
  return { ...limits, idleTimeoutMs: Math.max(idleTimeoutMs, 2 * longestTimeoutMs(settings) + 5000) };
};
