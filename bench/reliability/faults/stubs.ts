import { start } from '../../child-process.ts';
import { reservePort } from '../../ports.ts';
import { serviceNames } from '../../portico-settings.ts';
import type { Stall } from '../oracle/stalls.ts';
import { faultHistory } from './fault-history.ts';
import type { Fault } from './faulty-server.ts';
import type { StubCommand, StubReport } from './stub-process.ts';

const otherNames = ['identity', 'moa', 'mh'] as const;

/** Every stub in which faults can be injected. */
export const targets = [...serviceNames, ...otherNames] as const;

export type Target = (typeof targets)[number];

/** How long after a fault a closed connection may still look open to the system under test. */
const settleMs = 250;

const startGroup = async (names: readonly Target[], jwks: string) => {
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await reservePort()] as const)));
  const launch = () => start(new URL('stub-process.ts', import.meta.url), { args: [JSON.stringify(ports), jwks] });
  let child = await launch();
  return {
    ports,
    request: async (command: StubCommand = {}) => (await child.request(command)) as StubReport,
    restart: async () => {
      await child.stop();
      child = await launch();
    },
  };
};

/** Starts everything that the system under test calls, in two processes: the six services, and the others. */
export const startStubs = async (jwks: string) => {
  const services = await startGroup(serviceNames, jwks);
  const others = await startGroup(otherNames, jwks);
  const ports = { ...services.ports, ...others.ports };
  const history = faultHistory();
  const earlierStalls: Stall[] = [];

  return {
    history,
    urlOf: (target: Target) => `http://127.0.0.1:${ports[target]}`,
    /** Resolves, once the fault is active, with a function that clears it. */
    inject: async (target: Target, fault: Fault) => {
      const group = target in services.ports ? services : others;
      const window = history.open(target, fault);
      await group.request({ target, fault });
      window.certainFrom = performance.now();
      return async () => {
        window.certainTo = performance.now();
        await group.request({ target, fault: null });
        window.to = performance.now() + settleMs;
      };
    },
    /** Ends the process of the services and starts another on the same ports. */
    restartServices: async () => {
      const windows = serviceNames.map((name) => history.open(name, 'restarted'));
      earlierStalls.push(...(await services.request()).stalls);
      await services.restart();
      for (const window of windows) window.to = performance.now() + settleMs;
    },
    report: async (): Promise<StubReport> => {
      const report = await others.request();
      return { ...report, stalls: [...report.stalls, ...earlierStalls, ...(await services.request()).stalls] };
    },
  };
};

export type Stubs = Awaited<ReturnType<typeof startStubs>>;
