import { serviceNames } from '@portico/core';
import { reservePort } from '@portico/demo/ports';
import { type Child, start } from '../../child-process.ts';
import { type Interval, machineTime } from '../../machine-time.ts';
import { closeWindow, type FaultHistory, newWindow } from './fault-history.ts';
import type { Fault } from './faulty-server.ts';
import type { StubCommand, StubReport } from './stub-process.ts';

const otherNames: readonly string[] = ['identity', 'moa', 'mh'];

/** Every stub in which faults can be injected. */
export const targets: readonly string[] = [...serviceNames, ...otherNames];

const send = async (child: Child, command: StubCommand = {}) => (await child.request(command)) as StubReport;

/** Starts everything that the system under test calls, in two processes: the six services, and the others. */
export const startStubs = async (jwks: string) => {
  const ports = new Map<string, number>();
  for (const target of targets) ports.set(target, await reservePort());
  const launch = (names: readonly string[]) => {
    const named = JSON.stringify(names.map((name) => [name, ports.get(name)]));
    return start(new URL('stub-process.ts', import.meta.url), { args: [named, jwks] });
  };
  let services = await launch(serviceNames);
  const others = await launch(otherNames);
  const history: FaultHistory = [];
  const earlierStalls: Interval[] = [];

  return {
    history,
    urlOf: (target: string) => `http://127.0.0.1:${ports.get(target)}`,
    /** Resolves, once the fault is active, with a function that clears it. */
    inject: async ({ target, fault }: { readonly target: string; readonly fault: Fault }) => {
      const setFault = (next: Fault | null) =>
        send(otherNames.includes(target) ? others : services, { target, fault: next });
      const window = newWindow(target, fault);
      history.push(window);
      await setFault(fault);
      window.certainFrom = machineTime();
      return async () => {
        window.certainTo = machineTime();
        await setFault(null);
        closeWindow(window);
      };
    },
    /** Ends the process of the services and starts another on the same ports. */
    restartServices: async () => {
      const windows = serviceNames.map((name) => newWindow(name, 'restarted'));
      history.push(...windows);
      earlierStalls.push(...(await send(services)).stalls);
      await services.stop();
      services = await launch(serviceNames);
      windows.forEach(closeWindow);
    },
    /** The callbacks of the sellers, and the stalls of all processes. */
    report: async (): Promise<StubReport> => {
      const { callbacks, stalls } = await send(others);
      return { callbacks, stalls: [...stalls, ...earlierStalls, ...(await send(services)).stalls] };
    },
  };
};

export type Stubs = Awaited<ReturnType<typeof startStubs>>;
