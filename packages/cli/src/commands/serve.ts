import { constants } from 'node:os';
import { koaModule, serverToken } from '@portico/adapters-koa/inversify';
import { type ConnectionLimits, drain, type PagesSettings, pagesProblem } from '@portico/adapters-koa';
import type { Identity } from '@portico/core';
import { portTokens, searchUseCasesToken } from '@portico/core/inversify';
import type { CommandHandler } from '../program/call.ts';
import { composeInstance } from '../serve/compose.ts';
import { endings } from '../session/interrupt.ts';
import { jsonLines, type Log } from '../telemetry/log.ts';
import { listen } from '../serve/listener.ts';
import { endOnCrash } from '../telemetry/crash.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { forwardTraceContext } from '../telemetry/trace-context.ts';
import { rateLimits } from '../serve/rate-limits.ts';
import { failWithProblems } from '../output/cli-error.ts';
import type { Settings } from '../settings/schema.ts';
import { enabledApis } from '../settings/show.ts';

/** Serves until SIGTERM, SIGINT or SIGHUP, then finishes what is in flight. Returns the exit code. */
export const serve: CommandHandler = async ({ loaded: { settings, sourceOf }, json, version }) => {
  const log = jsonLines(settings.log.level);
  endOnCrash(log);
  forwardTraceContext();
  const operations = await startTelemetry(settings, sourceOf, log);
  const container = await composeInstance(settings, operations.observer);
  const { maxRequestBytes, maxCallbackBytes } = settings.limits;
  const pages = pagesOf(settings);
  const message = pages && pagesProblem(pages.directory);
  if (message !== undefined) {
    const problem = { setting: 'pages.directory', source: sourceOf('pages.directory'), message };
    return failWithProblems('there are no pages to serve', [problem], json);
  }
  const identity =
    container.isBound(portTokens.identity) && settings.roles.includes('member')
      ? container.get(portTokens.identity)
      : undefined;
  container.load(
    koaModule({
      version,
      maxRequestBytes,
      maxCallbackBytes,
      roles: settings.roles,
      corsOrigins: settings.cors.origins,
      ...(pages && { pages }),
      connections: connectionLimits(settings),
      notReady: () => missingKeys(identity),
      ...(await rateLimits(settings, container)),
      ...operations.told,
    }),
  );
  const server = container.get(serverToken);
  // Heard from now on: whoever reads the address may send a signal at once.
  const signal = firstSignal();
  const metricsProblem = await operations.serveMetrics(
    server,
    container.isBound(searchUseCasesToken) ? container.get(searchUseCasesToken).searchStatus : undefined,
  );
  if (metricsProblem) return failWithProblems('cannot listen', [metricsProblem], json);
  const listening = await listen(server, settings.listen, sourceOf);
  if ('problem' in listening) {
    await operations.end();
    return failWithProblems('cannot listen', [listening.problem], json);
  }
  const { url } = listening;
  const halves = enabledApis(settings);
  process.stdout.write(json ? `${JSON.stringify({ url, serves: halves })}\n` : `portico listens on ${url}\n`);
  if (halves.length === 0)
    log('warn', 'nothing to serve: set identity and downstreams, or search.legs (see portico config schema)');
  if (identity) void warm(identity, log);
  await signal;
  // A search that was begun may come to its end.
  const drained = drain(server, Math.max(10_000, settings.search.timeoutMs + 1000), settings.connections.drainDelayMs);
  log('info', 'draining');
  await drained;
  await container.unbindAllAsync();
  log('info', 'stopped');
  await operations.end();
  return 0;
};

/** The pages, and what they are told: where to sign in, and who may search. */
const pagesOf = ({ pages: { directory, clientId }, identity, search }: Settings): PagesSettings | undefined =>
  directory === null || !identity
    ? undefined
    : {
        directory,
        config: { issuer: identity.issuer, clientId, personas: search.personas },
        connectTo: [identity.issuer, identity.tokenUrl].flatMap((url) => (url === null ? [] : [new URL(url).origin])),
      };

const noKeys = 'the identity provider gave no keys yet';

const warm = async (identity: Identity, log: Log): Promise<void> => {
  const result = await identity.warm();
  if (result.isErr()) log('warn', `${noKeys}; members get 502 until it does`, { failure: result.error });
};

/** Without keys no member can be served; asking for them is what fetches them. */
const missingKeys = async (identity: Identity | undefined): Promise<readonly string[]> =>
  identity === undefined || (await identity.warm()).isOk() ? [] : [noKeys];

/** A connection may be silent for as long as a search or a service may be, and then some. */
const connectionLimits = ({ connections, search, downstreams }: Settings): ConnectionLimits => {
  const { drainDelayMs: _unused, idleTimeoutMs, ...limits } = connections;
  const waits = [search, ...(downstreams ? Object.values(downstreams) : [])].map(({ timeoutMs }) => timeoutMs);
  return { ...limits, idleTimeoutMs: Math.max(idleTimeoutMs, 2 * Math.max(...waits) + 5000) };
};

/** One Ctrl-C may be heard twice: from the terminal, and passed on by npm or another parent. */
const echoMs = 500;

/** The first signal. A later one does not wait for the end: a second Ctrl-C means now. */
const firstSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let firstAt: number | undefined;
    const hear = (signal: (typeof endings)[number]) => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > echoMs) process.exit(128 + constants.signals[signal]);
    };
    for (const ending of endings) process.on(ending, hear);
  });
