import { fakeClock } from '../../runtime/clock.fake.ts';
import type { Clock } from '../../runtime/clock.port.ts';
import { type Fails, failsOnPurpose } from '../../shared/fake.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';
import { memoryCallbackExchange } from './memory-callback-exchange.ts';

export interface FakeCallbackExchange extends CallbackExchange, Fails {
  /** From now on it says that this keeps callbacks from finding their search, until that is taken back with `undefined`. */
  degrade(degradedReason: string | undefined): void;
}

/** The exchange in memory, for tests. While it fails nobody is registered and no callback is placed; what waits still waits. */
export const fakeCallbackExchange = (clock: Clock = fakeClock()): FakeCallbackExchange => {
  const exchange = memoryCallbackExchange(clock);
  const { answer, ...failing } = failsOnPurpose();
  let degradedReason: string | undefined;
  return {
    ...failing,
    degrade: (next) => {
      degradedReason = next;
    },
    expect: (...given) => answer(() => exchange.expect(...given)),
    release: exchange.release,
    offer: (...given) => answer(() => exchange.offer(...given)),
    get degradedReason() {
      return degradedReason;
    },
    get pending() {
      return exchange.pending;
    },
  };
};
