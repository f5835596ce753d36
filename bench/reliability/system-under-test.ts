import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceNames } from '@portico/core';
import { reservePort } from '@portico/demo/ports';
import { request } from 'undici';
import { log } from '../command.ts';
import { machineTime } from '../machine-time.ts';
import { startPortico } from '../portico.ts';
import { legSettings } from '../portico-settings.ts';
import { issuer } from '../tokens.ts';
import { closeWindow, newWindow } from './faults/fault-history.ts';
import { startStubs, type Stubs } from './faults/stubs.ts';
import { searchLimits, serviceLimits, sizeLimits } from './limits.ts';
import type { Snapshot } from './oracle/process-probe.ts';
import { issueIdentities } from './workload/members.ts';

/** A request that was in flight at SIGTERM may find its connection closed. */
const inFlightMs = 100;

const settingsFor = ({ urlOf }: Stubs, port: number, breakers: readonly string[]) => {
  const bapUri = `http://127.0.0.1:${port}`;
  const legs = { moa: legSettings(bapUri, urlOf('moa')), mh: legSettings(bapUri, urlOf('mh')) };
  const service = (name: string) => ({
    url: urlOf(name),
    ...serviceLimits,
    ...(!breakers.includes(name) && { breakAfterFailures: 1_000_000 }),
  });
  return {
    listen: { host: '127.0.0.1', port },
    identity: { issuer, audience: ['portico'], jwksUrl: `${urlOf('identity')}/jwks`, keyCacheSeconds: 15 },
    downstreams: Object.fromEntries(serviceNames.map((name) => [name, service(name)])),
    limits: sizeLimits,
    search: { ...searchLimits, legs },
  };
};

const get = async (url: string) => {
  // Resetting the connection leaves no socket open in the system under test.
  const { statusCode, body } = await request(url, { reset: true });
  return { statusCode, body: await body.text() };
};

/**
 * Starts the built `portico serve` with member API and search API, and stubs for everything that it calls. Only the
 * `breakers` of these services can open.
 */
export const startSystem = async (breakers: readonly string[], folder: string) => {
  const identities = await issueIdentities();
  const stubs = await startStubs(identities.jwks);
  const port = await reservePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, 'portico.log');
  const nodeArgs = ['--expose-gc', '--import', new URL('oracle/process-probe.ts', import.meta.url).href];
  const launch = async () => {
    const child = await startPortico(settingsFor(stubs, port, breakers), folder, { nodeArgs, logFile });
    for (let attempt = 0; (await get(`${url}/readyz`)).statusCode !== 200; attempt++) {
      if (attempt === 200) throw new Error('The system under test was not ready within 10 s.');
      await pause(50);
    }
    return child;
  };
  let child = await launch();
  const restarts: { readonly exitCode: number | null; readonly drainMs: number; readonly awayMs: number }[] = [];

  return {
    identities,
    stubs,
    url,
    logFile,
    restarts,
    /** Sends SIGTERM under load, and starts it again on the same port. */
    restart: async () => {
      const from = machineTime();
      const window = newWindow('portico', 'restarted', from - inFlightMs);
      stubs.history.push(window);
      const exitCode = await child.stop();
      const exitedAt = machineTime();
      child = await launch();
      closeWindow(window);
      restarts.push({ exitCode, drainMs: exitedAt - from, awayMs: machineTime() - exitedAt });
      log(`restarted: ${JSON.stringify(restarts.at(-1))}`);
    },
    /** Sends SIGTERM and resolves with the exit code. */
    stop: (): Promise<number | null> => child.stop(),
    /** A snapshot once at most this many sockets are open, or after 20 s. */
    snapshot: async (sockets = Infinity): Promise<Snapshot> => {
      for (let attempt = 0; ; attempt++) {
        const snapshot = (await child.request({})) as Snapshot;
        if (snapshot.sockets <= sockets || attempt === 20) return snapshot;
        await pause(1000);
      }
    },
    pendingLegs: async () => (JSON.parse((await get(`${url}/health`)).body) as { readonly pending: number }).pending,
  };
};
