import { constants } from 'node:os';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { type ConnectionLimits, drain, type PagesSettings, pagesProblem } from '@portico/adapters-koa';
import type { Identity } from '@portico/core';
import { portTokens, searchUseCasesToken } from '@portico/core/inversify';
import type { CommandHandler } from '../program/command.ts';
import { composeInstance } from '../serve/compose.ts';
import { exitSignals } from '../session/interrupt.ts';
import { jsonLines, type Log } from '../telemetry/log.ts';
import { serverTls } from '../connection/tls-files.ts';
import { dpopSettings } from '../serve/dpop.ts';
import { listen } from '../serve/listener.ts';
import { endOnCrash } from '../telemetry/crash.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { forwardTraceContext } from '../telemetry/trace-context.ts';
import { rateLimits } from '../serve/rate-limits.ts';
import { redisStatus } from '../serve/redis-status.ts';
import { failWithProblems } from '../output/cli-error.ts';
import { signInProvider } from '../settings/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';
import { configuredServices, enabledApis } from '../settings/show.ts';

/** Serves until SIGTERM, SIGINT or SIGHUP, then finishes the requests in flight. Returns the exit code. */
export const serve: CommandHandler = async ({ loaded: { settings, sourceOf }, json, version }) => {
  const log = jsonLines(settings.log.level);
  endOnCrash(log);
  forwardTraceContext();
  const telemetry = await startTelemetry(settings, sourceOf, log, { version });
  const container = await composeInstance(settings, telemetry.observer);
  const { maxRequestBytes, maxCallbackBytes } = settings.limits;
  const pages = pagesOf(settings);
  const message = pages && pagesProblem(pages.directory);
  if (message !== undefined) {
    const problem = { setting: 'pages.directory', source: sourceOf('pages.directory'), message };
    return failWithProblems('Cannot serve the pages.', [problem], json);
  }
  const identity =
    container.isBound(portTokens.identity) && settings.roles.includes('member')
      ? container.get(portTokens.identity)
      : undefined;
  const limits = await rateLimits(settings, container);
  const redis = redisStatus(settings, limits, container);
  container.load(
    koaModule({
      version,
      maxRequestBytes,
      maxCallbackBytes,
      roles: settings.roles,
      corsOrigins: settings.cors.origins,
      ...(pages && { pages }),
      ...dpopSettings(settings),
      connections: connectionLimits(settings),
      ...serverTls(settings.listen, telemetry.observer.tlsReloaded),
      notReady: () => missingKeys(identity),
      ...limits,
      ...telemetry.hooks,
    }),
  );
  const server = container.get(serverToken);
  // Before the URL is printed: a process that reads it may send a signal immediately.
  const signal = firstSignal();
  const metricsProblem = await telemetry.serveMetrics(
    server,
    container.isBound(searchUseCasesToken) ? container.get(searchUseCasesToken).searchStatus : undefined,
  );
  if (metricsProblem) return failWithProblems('Cannot start the server.', [metricsProblem], json);
  const listening = await listen(server, settings.listen, sourceOf);
  if ('problem' in listening) {
    await telemetry.end();
    return failWithProblems('Cannot start the server.', [listening.problem], json);
  }
  const { url } = listening;
  const stopWatchingRedis = redis && telemetry.watchRedis(redis);
  const apis = enabledApis(settings);
  const document = { url, serves: apis.map(({ name }) => name) };
  process.stdout.write(json ? `${JSON.stringify(document)}\n` : `portico listens on ${url}\n`);
  if (apis.length === 0)
    log('warn', 'no API is enabled: set identity and downstreams, or search.legs (see portico config schema)');
  if (identity) void prefetchKeys(identity, log);
  await signal;
  // Long enough for a running search to finish.
  const drained = drain(server, Math.max(10_000, settings.search.timeoutMs + 1000), settings.connections.drainDelayMs);
  log('info', 'draining');
  await drained;
  stopWatchingRedis?.();
  await container.unbindAllAsync();
  log('info', 'stopped');
  await telemetry.end();
  return 0;
};

/** Returns the settings of the pages: directory, sign-in, services, and the personas that may search. */
const pagesOf = (settings: Settings): PagesSettings | undefined => {
  const { directory, ...signIn } = settings.pages;
  const provider = signInProvider(settings);
  if (directory === null || !provider) return undefined;
  return {
    directory,
    config: {
      issuer: provider.issuer,
      ...signIn,
      personas: settings.search.personas,
      services: configuredServices(settings).map(([name]) => name),
    },
    connectTo: [provider.issuer, provider.tokenUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
  };
};

const noKeys = 'no keys from the identity provider yet';

const prefetchKeys = async (identity: Identity, log: Log): Promise<void> => {
  const result = await identity.warm();
  if (result.isErr()) log('warn', `${noKeys}; member requests get 502 until then`, { failure: result.error });
};

/** Returns why the server is not ready: without keys, no token can be verified. Each check tries to fetch them. */
const missingKeys = async (identity: Identity | undefined): Promise<readonly string[]> =>
  identity === undefined || (await identity.warm()).isOk() ? [] : [noKeys];

/** Raises the idle timeout of connections above the timeouts of the search and the services. */
const connectionLimits = ({ connections, search, downstreams }: Settings): ConnectionLimits => {
  const { drainDelayMs: _unused, idleTimeoutMs, ...limits } = connections;
  const services = configuredServices({ downstreams }).map(([, { timeoutMs }]) => timeoutMs);
  const timeouts = [search.timeoutMs, ...services];
  return { ...limits, idleTimeoutMs: Math.max(idleTimeoutMs, 2 * Math.max(...timeouts) + 5000) };
};

/** One Ctrl-C may arrive twice: from the terminal, and forwarded by npm or another parent process. */
const duplicateMs = 500;

/** Resolves on the first signal. A later signal ends the process immediately. */
const firstSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    const handleSignal = (signal: (typeof exitSignals)[number]) => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > duplicateMs) process.exit(128 + constants.signals[signal]);
    };
    for (const signal of exitSignals) process.on(signal, handleSignal);
  });
