import { errAsync } from 'neverthrow';
import { fakeClock } from '../../runtime/clock.fake.ts';
import type { Clock } from '../../runtime/clock.port.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Fails } from '../../shared/fake.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';
import { memoryCallbackExchange } from './memory-callback-exchange.ts';

export interface FakeCallbackExchange extends CallbackExchange, Fails {
  /** From now on it says that this keeps callbacks from finding their search, until that is taken back with `undefined`. */
  troubleWith(trouble: string | undefined): void;
}

/** The exchange in memory, for tests. While it fails nobody is registered and no callback is placed; what waits still waits. */
export const fakeCallbackExchange = (clock: Clock = fakeClock()): FakeCallbackExchange => {
  const exchange = memoryCallbackExchange(clock);
  let failure: Failure | undefined;
  let trouble: string | undefined;
  return {
    failWith: (next) => {
      failure = next;
    },
    troubleWith: (next) => {
      trouble = next;
    },
    expect: (...given) => (failure ? errAsync(failure) : exchange.expect(...given)),
    release: exchange.release,
    offer: (...given) => (failure ? errAsync(failure) : exchange.offer(...given)),
    get trouble() {
      return trouble;
    },
    get pending() {
      return exchange.pending;
    },
  };
};
