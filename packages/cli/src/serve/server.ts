import { drain, pagesProblem, type ServerSettings } from '@portico/adapters-koa';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { serverDefaults } from '@portico/adapters-koa/settings';
import { settleWithin } from '@portico/core';
import { portTokens, searchUseCasesToken } from '@portico/core/inversify';
import { systemClock } from '@portico/core/system';
import { err, ok, type Result } from 'neverthrow';
import { serverTls } from '../settings/tls-files.ts';
import { version as ownVersion } from '../telemetry/version.ts';
import type { LoadedSettings, SettingProblem } from '../settings/load.ts';
import { namesOf } from '../settings/own-services.ts';
import { enabledApis } from '../settings/configured-services.ts';
import { jsonLines, type Log } from '../telemetry/log.ts';
import { startTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { forwardTraceContext } from '../telemetry/trace-context.ts';
import { browserSessions } from './browser-sessions.ts';
import { boundServices, composeInstance, type Container, type OwnBindings } from './compose.ts';
import { dpopSettings } from './dpop.ts';
import { onExitSignal } from './exit-signals.ts';
import { missingKeys, prefetchKeys } from './key-readiness.ts';
import { listen } from '../connection/listener.ts';
import { rateLimits } from './rate-limits.ts';
import { redisStatus } from './redis-status.ts';
import { connectionLimits, longestTimeoutMs, pagesOf } from './server-settings.ts';

/** What a program, or a module of `portico serve --with`, adds to the server. */
export interface ServeExtension extends OwnBindings {
  /** Koa middleware before the routes of the APIs; see `ServerSettings.middleware`. */
  readonly middleware?: NonNullable<ServerSettings['middleware']>;
}

export interface ServeOptions extends ServeExtension, Pick<LoadedSettings, 'settings'> {
  /** Names the source of a setting in problems, as `loadSettings` returns it. */
  readonly sourceOf?: LoadedSettings['sourceOf'];
  /** Receives log lines. Default: JSON lines on stderr from level `settings.log.level`. */
  readonly log?: Log;
  /** Version in `/health`, the OpenAPI document and the metrics. Default: the version of this package. */
  readonly version?: string;
  /** Close on SIGTERM, SIGINT or SIGHUP; a later signal ends the process immediately. Default: false. */
  readonly signals?: boolean;
}

/** Why the server did not start. */
export interface StartProblem {
  readonly message: string;
  readonly problems: readonly SettingProblem[];
}

export interface RunningServer {
  /** URL that the server listens on, with the actual port. */
  readonly url: string;
  /** The enabled APIs: `member portal`, `federated search`. */
  readonly serves: readonly string[];
  /** Finishes the requests in flight, then releases everything. Resolves at the end, also when called again. */
  readonly close: () => Promise<void>;
  /** Resolves when the server is closed, by `close` or by a signal. */
  readonly closed: Promise<void>;
}

/**
 * Serves the APIs that the settings enable, as `portico serve` does: limits, readiness, log, metrics, Redis and draining
 * included. Registers W3C trace propagation, unless an OpenTelemetry SDK is registered. Does not end the process. Rejects only
 * if a given module or its bindings throw.
 */
export const serve = async ({
  settings,
  sourceOf = () => 'settings',
  modules = [],
  services = [],
  middleware = [],
  log = jsonLines(settings.log.level),
  version = ownVersion,
  signals = false,
}: ServeOptions): Promise<Result<RunningServer, StartProblem>> => {
  forwardTraceContext();
  const telemetry = await startTelemetry(settings, sourceOf, log, { version });
  const instance = { settings, sourceOf, middleware, log, version, telemetry };
  const container = await composeInstance(settings, telemetry.observer, { modules, services });
  try {
    const started = await start(instance, container);
    if (started.isOk()) return ok(running(instance, container, started.value, signals));
    await release(telemetry, container);
    return err(started.error);
  } catch (error) {
    await release(telemetry, container);
    throw error;
  }
};

interface Instance extends Required<Omit<ServeOptions, keyof OwnBindings | 'signals'>> {
  readonly telemetry: Telemetry;
}

/** Ends the telemetry even if the deactivation of a given module throws: its metrics listener would stay open. */
const release = async (telemetry: Telemetry, container: Container, log?: Log): Promise<void> => {
  try {
    await container.unbindAllAsync();
    log?.('info', 'stopped');
  } finally {
    await telemetry.end();
  }
};

/** What is stopped when the server has drained, and the properties of the running server. */
interface Started extends Pick<RunningServer, 'url' | 'serves'> {
  readonly server: Parameters<typeof drain>[0];
  readonly stopWatchingRedis: (() => void) | undefined;
  readonly sessionsSettled: (() => Promise<void>) | undefined;
}

/** Creates the server and starts listening. */
const start = async (
  { settings, sourceOf, middleware, log, version, telemetry }: Instance,
  container: Container,
): Promise<Result<Started, StartProblem>> => {
  const services = boundServices(container);
  const pages = pagesOf(settings, services.builtIn);
  const pagesMessage = pages && pagesProblem(pages.directory);
  if (pagesMessage !== undefined) {
    const problem = { setting: 'pages.directory', source: sourceOf('pages.directory'), message: pagesMessage };
    return err({ message: 'Cannot serve the pages.', problems: [problem] });
  }
  const hasIdentity = container.isBound(portTokens.identity) && settings.roles.includes('member');
  const identity = hasIdentity ? container.get(portTokens.identity) : undefined;
  const limits = await rateLimits(settings, container);
  const sessions = hasIdentity ? await browserSessions(settings, container, telemetry.onSession) : undefined;
  const redis = redisStatus(settings, limits, container);
  container.load(
    koaModule({
      version,
      maxRequestBytes: settings.limits.maxRequestBytes,
      maxCallbackBytes: settings.limits.maxCallbackBytes,
      roles: settings.roles,
      corsOrigins: settings.cors.origins,
      ...(pages && { pages }),
      middleware: sessions ? [sessions.middleware, ...middleware] : middleware,
      ...dpopSettings(settings),
      connections: connectionLimits(settings),
      ...serverTls(settings.listen, telemetry.observer.tlsReloaded),
      notReady: () => missingKeys(identity),
      ...limits,
      ...telemetry.hooks,
    }),
  );
  const server = container.get(serverToken);
  const search = container.isBound(searchUseCasesToken) ? container.get(searchUseCasesToken) : undefined;
  const metricsProblem = await telemetry.serveMetrics(server, search?.searchStatus);
  if (metricsProblem) return err(cannotStart(metricsProblem));
  const listening = await listen(server, { ...settings.listen, sharesPort: settings.listen.reusePort }, sourceOf);
  if ('problem' in listening) return err(cannotStart(listening.problem));
  const serves = enabledApis(settings, namesOf(services)).map(({ name }) => name);
  if (serves.length === 0)
    log('warn', 'no API is enabled: set identity and downstreams, or search.legs, in the file of --config');
  if (identity) void prefetchKeys(identity, log);
  return ok({
    url: listening.url,
    serves,
    server,
    stopWatchingRedis: redis && telemetry.watchRedis(redis),
    sessionsSettled: sessions?.settled,
  });
};

const cannotStart = (problem: SettingProblem): StartProblem => ({
  message: 'Cannot start the server.',
  problems: [problem],
});

/** The handle of a server that listens. */
const running = (
  { settings, log, telemetry }: Instance,
  container: Container,
  { url, serves, server, stopWatchingRedis, sessionsSettled }: Started,
  signals: boolean,
): RunningServer => {
  const closed = Promise.withResolvers<void>();
  let isClosing = false;
  const shutDown = async (): Promise<void> => {
    // Long enough for requests in flight and running searches to finish.
    const limitMs = Math.max(serverDefaults.drainLimitMs, longestTimeoutMs(settings) + 1000);
    const { drainDelayMs } = settings.connections;
    const endsAt = systemClock.monotonic() + drainDelayMs + limitMs;
    const drained = drain(server, limitMs, drainDelayMs);
    log('info', 'draining');
    await drained;
    // Within the same time, after which the process may be killed: a store may never take the tokens.
    const timeoutMs = Math.max(1000, endsAt - systemClock.monotonic());
    if (sessionsSettled) await settleWithin(sessionsSettled(), { clock: systemClock, timeoutMs, onTimeout: () => {} });
    stopWatchingRedis?.();
    await release(telemetry, container, log);
  };
  const close = (): Promise<void> => {
    if (!isClosing) {
      isClosing = true;
      shutDown().then(closed.resolve, closed.reject);
    }
    return closed.promise;
  };
  const stopWatchingSignals = signals ? onExitSignal(close) : () => {};
  return {
    url,
    serves,
    close: () => {
      stopWatchingSignals();
      return close();
    },
    closed: closed.promise,
  };
};
