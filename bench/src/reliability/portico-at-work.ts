import { setTimeout as pause } from 'node:timers/promises';
import { machineTime } from '../machine-time.ts';
import { askOnce, inWords } from './client.ts';
import type { Span } from './history.ts';
import type { Holding } from './inside.ts';
import type { WrongCallback } from './seller.ts';
import { serve, type Served } from './served.ts';

/** A request that was on its way when SIGTERM came may find its connection closed. */
const leewayMs = 100;
const settleMs = 250;

export interface Restart {
  readonly exitCode: number | null;
  /** From SIGTERM to its end, and from there until the next one is ready. */
  readonly drainMs: number;
  readonly awayMs: number;
}

/** Portico, which may be away for a while in between. */
export interface PorticoAtWork {
  /** Ends it by SIGTERM, under whatever load there is, and starts it again at the same address. */
  restart(): Promise<Restart>;
  stop(): Promise<number | null>;
  /** Whether a request that was sent then may have come to this because of the restart. */
  isAway(seen: string, during: Span): boolean;
  wasAwayFor(callback: WrongCallback): boolean;
  /** What it holds once no socket is left over, or as many as there are after 20 s. */
  holding(sockets?: number): Promise<Holding>;
}

/** Without keys yet, it says so of the identity provider. */
const awayWords = /^(?:503(?: overloaded)?|refused|cut|502 upstream-failure \S+ blames identity)$/;

/** As whoever spreads the load would ask. */
const untilReady = async (url: string): Promise<void> => {
  for (let triesLeft = 200; triesLeft > 0; triesLeft--) {
    if (inWords(await askOnce(url, '/readyz')) === '200') return;
    await pause(50);
  }
  throw new Error('Portico was not ready within 10 s.');
};

export const startPortico = async (settings: object, url: string, folder: string): Promise<PorticoAtWork> => {
  let portico: Served = await serve(settings, folder);
  await untilReady(url);
  let away: Span = { from: Infinity, to: Infinity };
  /** What to add to `performance.now()` for machine time. */
  const offset = machineTime() - performance.now();
  const isWithin = (at: number) => at >= away.from && at <= away.to;

  return {
    restart: async () => {
      const from = performance.now();
      away = { from: from - leewayMs, to: Infinity };
      const { exitCode, tookMs: drainMs } = await portico.stop();
      portico = await serve(settings, folder);
      await untilReady(url);
      away = { ...away, to: performance.now() + settleMs };
      return { exitCode, drainMs, awayMs: performance.now() - from - drainMs };
    },
    stop: async () => (await portico.stop()).exitCode,
    isAway: (seen, { from }) => awayWords.test(seen) && isWithin(from),
    wasAwayFor: ({ at }) => isWithin(at - offset),
    holding: async (sockets = Infinity) => {
      let held = await portico.holding();
      for (let triesLeft = 20; held.sockets > sockets && triesLeft > 0; triesLeft--) {
        await pause(1000);
        held = await portico.holding();
      }
      return held;
    },
  };
};
