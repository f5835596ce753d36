import { equal } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import { maxReplaySeconds, type ReplayGuard } from './replay-guard.port.ts';

export interface ReplayGuardSubject {
  readonly guard: ReplayGuard;
  /** Returns a value that was never used. */
  readonly fresh: () => string;
  /** Lets this many seconds pass. If it is absent, how long the guard remembers is not tested. */
  readonly pass?: (seconds: number) => Promise<void>;
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
  'remembers a value when others are used': async ({ guard, fresh }) => {
    const value = fresh();
    equal(await guard.use(value, 60), 'first', 'the first use');
    for (let others = 0; others < 50; others++) await guard.use(fresh(), 60);
    equal(await guard.use(value, 60), 'repeated', 'the second use');
  },
  'remembers a value for as long as requested': async ({ guard, fresh, pass }) => {
    if (!pass) return;
    const value = fresh();
    equal(await guard.use(value, maxReplaySeconds), 'first', 'the first use');
    await pass(maxReplaySeconds - 1);
    equal(await guard.use(value, maxReplaySeconds), 'repeated', 'the second use');
  },
  'allows values that begin or end alike': async ({ guard, fresh }) => {
    const value = fresh();
    for (const each of [value, `${value}0`, `0${value}`]) equal(await guard.use(each, 60), 'first', 'the use');
  },
  'allows values that differ only in case': async ({ guard, fresh }) => {
    const value = fresh();
    for (const each of [`${value}a`, `${value}A`]) equal(await guard.use(each, 60), 'first', 'the use');
  },
  'reports no degradedReason while it works': async ({ guard, fresh }) => {
    await guard.use(fresh(), 60);
    equal(guard.degradedReason, undefined, 'the degradedReason');
  },
  'allows each of several values': async ({ guard, fresh }) => {
    for (const value of [fresh(), fresh(), fresh()]) equal(await guard.use(value, 1), 'first', 'the use');
  },
});
