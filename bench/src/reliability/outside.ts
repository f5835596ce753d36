import type { DownstreamName } from '@portico/adapters-http';
import { start } from '../children.ts';
import type { Fault } from './fault.ts';
import { History } from './history.ts';
import type { WrongCallback } from './seller.ts';
import type { Stall } from './stalls.ts';
import type { Order, Part } from './world.ts';

export const serviceNames = [
  'eligibility',
  'claims',
  'documents',
  'policy',
  'notifications',
  'consent',
] as const satisfies readonly DownstreamName[];

/** Everything of the outside world that can be ill. */
export const partNames = [...serviceNames, 'identity', 'moa', 'mh'] as const;

export type PartName = (typeof partNames)[number];

export interface Outside {
  readonly history: History;
  urlOf(name: PartName): string;
  /** Resolves, once it is so, with what makes it well again. */
  makeIll(name: PartName, fault: Fault): Promise<() => Promise<void>>;
  /** Ends the process of the six services and starts another in its place. */
  restartServices(): Promise<void>;
  /** What the sellers have seen, and when a part of this world stood still. */
  report(): Promise<Report>;
  stop(): Promise<void>;
}

interface Report {
  readonly sent: number;
  readonly wrong: readonly WrongCallback[];
  readonly stalls: readonly Stall[];
}

export const startOutside = async (jwks: string): Promise<Outside> => {
  const services = await startPart({ ports: Object.fromEntries(serviceNames.map((name) => [name, 0])) });
  const others = await startPart({ ports: { identity: 0, moa: 0, mh: 0 }, jwks });
  const ports = { ...services.ports, ...others.ports };
  const history = new History();
  const earlierStalls: Stall[] = [];

  return {
    history,
    urlOf: (name) => `http://127.0.0.1:${ports[name]}`,
    makeIll: async (name, fault) => {
      const part = name in services.ports ? services : others;
      const spell = history.begin(name, fault);
      await part.ask({ name, fault });
      spell.hasBegun();
      return async () => {
        spell.isEnding();
        await part.ask({ name, fault: null });
        spell.hasEnded();
      };
    },
    restartServices: async () => {
      const spells = serviceNames.map((name) => history.begin(name, 'restarted'));
      earlierStalls.push(...(await services.report()).stalls);
      await services.restart();
      for (const spell of spells) spell.hasEnded();
    },
    report: async () => {
      const report = await others.report();
      return { ...report, stalls: [...report.stalls, ...earlierStalls, ...(await services.report()).stalls] };
    },
    stop: async () => {
      await Promise.all([services.stop(), others.stop()]);
    },
  };
};

const startPart = async (part: Part) => {
  let child = await start('./reliability/world.ts', [JSON.stringify(part)]);
  const ports = child.said as Part['ports'];
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: an answer does not say to which question it belongs. */
  const ask = (order: Order): Promise<unknown> => {
    last = last.then(() => child.ask(order));
    return last;
  };
  return {
    ports,
    ask,
    report: async () => (await ask({ report: true })) as Report,
    restart: async () => {
      await child.stop();
      child = await start('./reliability/world.ts', [JSON.stringify({ ...part, ports })]);
    },
    stop: () => child.stop(),
  };
};
