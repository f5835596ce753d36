import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { machineTime } from '../machine-time.ts';
import { startPortico } from '../portico.ts';
import { legSettings, serviceNames } from '../portico-settings.ts';
import { reservePort } from '../ports.ts';
import { issuer } from '../tokens.ts';
import type { Interval } from './faults/fault-history.ts';
import type { FailedCallback } from './faults/seller-stub.ts';
import type { Stubs } from './faults/stubs.ts';
import { searchLimits, serviceLimits, sizeLimits } from './limits.ts';
import type { HasBreaker } from './oracle/expectations.ts';
import type { Snapshot } from './oracle/process-probe.ts';

/** A request that was in flight at SIGTERM may find its connection closed. */
const inFlightMs = 100;
const settleMs = 250;

/** Outcomes that a restart explains. Before the keys are loaded, requests fail with the identity provider's name. */
const restartOutcome =
  /^(?:503(?: overloaded)?|connection refused|connection closed|502 upstream-failure \S+ blames identity)$/;

const settingsFor = ({ urlOf }: Stubs, port: number, hasBreaker: HasBreaker) => {
  const bapUri = `http://127.0.0.1:${port}`;
  const legs = { moa: legSettings(bapUri, urlOf('moa')), mh: legSettings(bapUri, urlOf('mh')) };
  const service = (name: (typeof serviceNames)[number]) => ({
    url: urlOf(name),
    ...serviceLimits,
    ...(!hasBreaker(name) && { breakAfterFailures: 1_000_000 }),
  });
  return {
    listen: { host: '127.0.0.1', port },
    identity: { issuer, audience: ['portico'], jwksUrl: `${urlOf('identity')}/jwks`, keyCacheSeconds: 15 },
    downstreams: Object.fromEntries(serviceNames.map((name) => [name, service(name)])),
    limits: sizeLimits,
    search: { ...searchLimits, legs },
  };
};

const untilReady = async (url: string): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    // Resetting the connection leaves no socket open in the system under test.
    const { statusCode, body } = await request(`${url}/readyz`, { reset: true });
    await body.dump();
    if (statusCode === 200) return;
    await pause(50);
  }
  throw new Error('The system under test was not ready within 10 s.');
};

/** Starts the built `portico serve` with member API and search API; the stubs provide everything that it calls. */
export const startSystem = async (stubs: Stubs, hasBreaker: HasBreaker, folder: string) => {
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'portico.log');
  const nodeArgs = ['--expose-gc', '--import', new URL('oracle/process-probe.ts', import.meta.url).href];
  const launch = async () => {
    const child = await startPortico(settingsFor(stubs, port, hasBreaker), folder, { nodeArgs, logFile });
    await untilReady(url);
    return child;
  };
  let child = await launch();
  let restarting: Interval = { from: Infinity, to: Infinity };
  const machineOffset = machineTime() - performance.now();
  const isWithinRestart = (at: number): boolean => at >= restarting.from && at <= restarting.to;

  return {
    url,
    logFile,
    /** Sends SIGTERM under load, and starts it again on the same port. */
    restart: async () => {
      const from = performance.now();
      restarting = { from: from - inFlightMs, to: Infinity };
      const exitCode = await child.stop();
      const exitedAt = performance.now();
      child = await launch();
      const readyAt = performance.now();
      restarting = { ...restarting, to: readyAt + settleMs };
      return { exitCode, drainMs: exitedAt - from, awayMs: readyAt - exitedAt };
    },
    /** Sends SIGTERM and resolves with the exit code. */
    stop: (): Promise<number | null> => child.stop(),
    /** Whether the restart explains the outcome of an operation. */
    isRestarting: (outcome: string, { from }: Interval) => restartOutcome.test(outcome) && isWithinRestart(from),
    wasRestartingAt: ({ at }: FailedCallback) => isWithinRestart(at - machineOffset),
    /** A snapshot once at most this many sockets are open, or after 20 s. */
    snapshot: async (sockets = Infinity): Promise<Snapshot> => {
      for (let attempt = 0; ; attempt++) {
        const snapshot = (await child.request({})) as Snapshot;
        if (snapshot.sockets <= sockets || attempt === 20) return snapshot;
        await pause(1000);
      }
    },
    pendingLegs: async (): Promise<number> => {
      const { body } = await request(`${url}/health`, { reset: true });
      return ((await body.json()) as { readonly pending: number }).pending;
    },
  };
};

export type SystemUnderTest = Awaited<ReturnType<typeof startSystem>>;
