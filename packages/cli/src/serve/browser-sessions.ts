import type { SessionEvent, SessionSettings } from '@portico/adapters-session';
import { recordProblem, recordRoute, type ServerSettings } from '@portico/adapters-koa';
import { dpopTokens, sessionStoreToken } from '@portico/core/inversify';
import { connectedFetch } from '../connection/connected-fetch.ts';
import { proxyOf } from '../connection/connections.ts';
import { servesSessions, sessionProvider, storesSessions } from '../settings/sections/session-schema.ts';
import type { Settings } from '../settings/schema.ts';
import type { Container } from './compose.ts';
import { clientOf } from './service-credentials.ts';

type Middleware = NonNullable<ServerSettings['middleware']>[number];

interface BrowserSessions {
  readonly middleware: Middleware;
  /** Waits for the refreshes in progress. */
  readonly settled: () => Promise<void>;
}

/** Browser sessions (contract, section 11), if the settings have them. Only then is the adapter loaded. */
export const browserSessions = async (
  settings: Settings,
  container: Pick<Container, 'get'>,
  onEvent: (event: SessionEvent) => void,
): Promise<BrowserSessions | undefined> => {
  if (!servesSessions(settings)) return undefined;
  const { sentProblem, sessionPaths, sessions, readSessionKey } = await import('@portico/adapters-session');
  const handle = sessions({
    ...adapterSettings(settings, container, readSessionKey),
    fetch: connectedFetch(proxyOf(settings.proxy)),
    onEvent,
  });
  const routes: ReadonlySet<string> = new Set(Object.values(sessionPaths));
  return {
    middleware: async (ctx, next) => {
      if (routes.has(ctx.path)) recordRoute(ctx, ctx.path);
      // Koa sends nothing if the session has sent a response.
      await handle(ctx.req, ctx.res, next);
      const problem = sentProblem(ctx.res);
      if (problem) recordProblem(ctx, problem);
    },
    settled: handle.settled,
  };
};

/** The settings of the adapter. They are only valid with a provider, its client and a public URL. */
const adapterSettings = (
  settings: Settings,
  container: Pick<Container, 'get'>,
  readKey: (text: string) => Uint8Array,
): SessionSettings => {
  const provider = sessionProvider(settings);
  const { session, listen } = settings;
  if (!session || !provider?.client || listen.publicUrl === undefined)
    throw new TypeError('Browser sessions require identity.client and listen.publicUrl.');
  const { keys, idleSeconds, absoluteSeconds, scope, authorizeParameters, logoutUrl } = session;
  return {
    issuer: provider.issuer,
    client: clientOf(provider.client),
    timeoutMs: provider.timeoutMs,
    clockToleranceSeconds: provider.clockToleranceSeconds,
    publicUrl: listen.publicUrl,
    keys: keys.map(readKey),
    ...(storesSessions(settings) && {
      store: container.get(sessionStoreToken),
      replays: container.get(dpopTokens.replays),
    }),
    idleSeconds,
    absoluteSeconds,
    scope,
    authorizeParameters,
    logoutUrl,
  };
};
