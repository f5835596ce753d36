import { Pool } from 'undici';
import { log } from '../../command.ts';
import { type Interval, machineTime } from '../../machine-time.ts';
import { type FaultHistory, type FaultWindow, overlapping } from '../faults/fault-history.ts';
import { isRestarting, restartOutcome } from '../oracle/expectations.ts';
import { send } from '../client.ts';
import { type Operation, type WeightedKind, weightedCycle } from './operation.ts';

/** A completed operation: from when it was sent until it ended. */
export interface Completed extends Interval {
  readonly title: string;
  /** The downstream service that it needs. */
  readonly service: string | undefined;
  readonly outcome: string;
  readonly isExplained: boolean;
  /** From when it was due until it ended, so that waiting for a stuck server counts. */
  readonly tookMs: number;
  /** Of an unexplained outcome: the windows that overlap or ended shortly before. */
  readonly faults?: readonly FaultWindow[];
}

/** Longer than any response may take. */
const noResponseMs = 30_000;
const maxLogged = 20;

/** Open-loop load: sends operations at a fixed rate, however long earlier ones take. */
export const openLoopLoad = (url: string, history: FaultHistory, perSecond: number, kinds: readonly WeightedKind[]) => {
  const next = weightedCycle(kinds);
  const completed: Completed[] = [];
  let sent: Promise<void>[] = [];
  let unexplained = 0;
  let client: Pool;
  let timer: NodeJS.Timeout;

  const perform = async ({ title, route, allowed, options }: Operation, dueAt: number): Promise<void> => {
    const from = machineTime();
    const outcome = await send(client, route, options);
    const during = { from, to: machineTime() };
    const isOfRestart = restartOutcome.test(outcome) && isRestarting(from, history);
    const isExplained = isOfRestart || allowed(during, history).includes(outcome);
    const operation = { title, service: options.service, outcome, isExplained, ...during, tookMs: during.to - dueAt };
    completed.push(isExplained ? operation : { ...operation, faults: overlapping(history, during, 5000) });
    if (!isExplained && unexplained++ < maxLogged) log(`UNEXPLAINED: ${JSON.stringify(completed.at(-1))}`);
  };

  return {
    completed,
    start: (): void => {
      // As many connections as it needs, so that no request waits for another.
      client = new Pool(url, { headersTimeout: noResponseMs, bodyTimeout: noResponseMs });
      const startedAt = machineTime();
      sent = [];
      timer = setInterval(() => {
        const elapsedMs = machineTime() - startedAt;
        while ((elapsedMs * perSecond) / 1000 >= sent.length)
          sent.push(perform(next(), startedAt + (sent.length * 1000) / perSecond));
      }, 1);
    },
    /** Stops sending, waits for the operations in flight, and closes all connections. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all(sent);
      await client.destroy();
    },
  };
};
