import { contractSuite, equal } from '../shared/contract.ts';
import { maxReplaySeconds, type ReplayGuard } from './replay-guard.port.ts';

export interface ReplayGuardSubject {
  readonly guard: ReplayGuard;
  /** Returns a value that was never used. */
  readonly fresh: () => string;
}

export const replayGuardContract = contractSuite<ReplayGuardSubject>('replay guard', {
  'allows a value once': async ({ guard, fresh }) => {
    const value = fresh();
    equal(await guard.use(value, 60), 'first', 'the first use');
    equal(await guard.use(value, 60), 'repeated', 'the second use');
    equal(await guard.use(value, maxReplaySeconds), 'repeated', 'the third use');
  },
  'allows a value once when it is used several times at the same time': async ({ guard, fresh }) => {
    const value = fresh();
    const uses = await Promise.all(Array.from({ length: 5 }, () => guard.use(value, 60)));
    equal(uses.toSorted(), ['first', 'repeated', 'repeated', 'repeated', 'repeated'], 'the uses');
  },
  'allows each of several values': async ({ guard, fresh }) => {
    for (const value of [fresh(), fresh(), fresh()]) equal(await guard.use(value, 1), 'first', 'the use');
  },
});
