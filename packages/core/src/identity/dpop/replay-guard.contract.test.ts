import { unsafeInEveryPort } from '../../contract/unsafe-adapters.test.support.ts';
import { testSuite } from '../../contract/suite-test.test.support.ts';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { memoryReplayGuard } from './memory-replay-guard.ts';
import { type ReplayGuardSubject, replayGuardContract } from './replay-guard.contract.ts';
import type { ReplayGuard } from './replay-guard.port.ts';

const subject = (): ReplayGuardSubject => {
  const clock = fakeClock();
  let values = 0;
  return {
    guard: memoryReplayGuard({ clock }),
    fresh: () => `value-${++values}`,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
};

const using =
  (change: (guard: ReplayGuard) => ReplayGuard['use']) =>
  (good: ReplayGuardSubject): ReplayGuardSubject => ({ ...good, guard: { use: change(good.guard) } });

/** Remembers only the values that were used last. */
const forgetting = (most: number): ReplayGuard['use'] => {
  const known: string[] = [];
  return async (value) => {
    if (known.includes(value)) return 'repeated';
    known.push(value);
    if (known.length > most) known.shift();
    return 'first';
  };
};

/** Looks a value up, and remembers it once the event loop has turned. */
const racing = (): ReplayGuard['use'] => {
  const known = new Set<string>();
  return async (value) => {
    const isKnown = known.has(value);
    await Promise.resolve();
    known.add(value);
    return isKnown ? 'repeated' : 'first';
  };
};

testSuite<ReplayGuardSubject>('replay guard', replayGuardContract, subject, [
  ...unsafeInEveryPort<'guard', ReplayGuardSubject>('guard').filter(([does]) => !does.startsWith('shows')),
  ['refuses every use', using(() => async () => 'repeated'), 'allows each of several values'],
  ['cannot remember anything', using(() => async () => 'full'), 'allows a value once'],
  [
    'compares the end of values',
    using((guard) => (value, seconds) => guard.use(value.slice(-7), seconds)),
    'allows values that begin or end alike',
  ],
  [
    'ignores the case of values',
    using((guard) => (value, seconds) => guard.use(value.toLowerCase(), seconds)),
    'allows values that differ only in case',
  ],
  [
    'forgets a value that is used again for longer',
    using((guard) => (value, seconds) => guard.use(`${seconds} ${value}`, seconds)),
    'allows a value once',
  ],
  [
    'refuses each second value',
    using((guard) => {
      let uses = 0;
      return async (value, seconds) => (++uses % 2 === 0 ? 'repeated' : guard.use(value, seconds));
    }),
    'allows each of several values',
  ],
  [
    'reports that it is degraded while it works',
    (good) => ({ ...good, guard: { use: good.guard.use, degradedReason: 'the store is down' } }),
    'reports no degradedReason while it works',
  ],
  ['allows every use', using(() => async () => 'first'), 'allows a value once'],
  ['forgets all but the last value', using(() => forgetting(1)), 'remembers a value when others are used'],
  ['forgets all but the last 20 values', using(() => forgetting(20)), 'remembers a value when others are used'],
  ['allows uses that overlap', using(racing), 'allows a value once when it is used several times at the same time'],
  [
    'forgets values after a second',
    (good) => {
      let guard = good.guard;
      const pass = async () => {
        ({ guard } = subject());
      };
      return { ...good, guard: { use: (...args) => guard.use(...args) }, pass };
    },
    'remembers a value for as long as requested',
  ],
  [
    'compares the beginning of values',
    using((guard) => (value, seconds) => guard.use(value.slice(0, 7), seconds)),
    'allows values that begin or end alike',
  ],
]);
