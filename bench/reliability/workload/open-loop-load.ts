import type { Pool } from 'undici';
import { log } from '../../command.ts';
import type { FaultHistory, FaultWindow, Interval } from '../faults/fault-history.ts';
import type { SystemUnderTest } from '../system-under-test.ts';
import { openClient } from './client.ts';
import type { Operation } from './operation.ts';

/** A completed operation. */
export interface Completed {
  readonly title: string;
  readonly service: string | undefined;
  readonly outcome: string;
  readonly isExplained: boolean;
  /** From when it was due until it ended, so that waiting for a stuck server counts. */
  readonly tookMs: number;
  /** From when it was sent until it ended. */
  readonly during: Interval;
  /** Of an unexplained outcome: the windows that overlap or ended shortly before. */
  readonly faults?: readonly FaultWindow[];
}

const maxLogged = 20;

/** Open-loop load: sends operations at a fixed rate, however long earlier ones take. */
export const openLoopLoad = (
  history: FaultHistory,
  { url, isRestarting }: SystemUnderTest,
  perSecond: number,
  next: () => Operation,
) => {
  const completed: Completed[] = [];
  const inFlight = new Set<Promise<void>>();
  let unexplained = 0;
  let client: Pool;
  let timer: NodeJS.Timeout;

  const perform = async ({ title, service, run, isExpected }: Operation, dueAt: number): Promise<void> => {
    const from = performance.now();
    const outcome = await run(client);
    const during = { from, to: performance.now() };
    const isExplained = isExpected(outcome, during, history) || isRestarting(outcome, during);
    const operation = { title, service, outcome, isExplained, during, tookMs: during.to - dueAt };
    completed.push(isExplained ? operation : { ...operation, faults: history.overlapping(during, 5000) });
    if (!isExplained && unexplained++ < maxLogged) log(`UNEXPLAINED: ${JSON.stringify(completed.at(-1))}`);
  };

  return {
    completed,
    start: (): void => {
      client = openClient(url);
      const startedAt = performance.now();
      let sent = 0;
      timer = setInterval(() => {
        const elapsedMs = performance.now() - startedAt;
        for (; (elapsedMs * perSecond) / 1000 >= sent; sent++) {
          const operation = perform(next(), startedAt + (sent * 1000) / perSecond);
          inFlight.add(operation);
          void operation.finally(() => inFlight.delete(operation));
        }
      }, 1);
    },
    /** Stops sending, waits for the operations in flight, and closes all connections. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all(inFlight);
      await client.destroy();
    },
  };
};
