import { fakeClock } from '../../runtime/clock.fake.ts';
import type { Clock } from '../../runtime/clock.port.ts';
import { type Fails, failOnDemand } from '../../shared/fake.ts';
import type { CallbackExchange } from './callback-exchange.port.ts';
import { memoryCallbackExchange } from './memory-callback-exchange.ts';

export interface FakeCallbackExchange extends CallbackExchange, Fails {
  /** Sets `degradedReason`; `undefined` clears it. */
  degrade(degradedReason: string | undefined): void;
}

/** The memory exchange, with failures on demand. While it fails, legs that were registered before stay registered. */
export const fakeCallbackExchange = (clock: Clock = fakeClock()): FakeCallbackExchange => {
  const exchange = memoryCallbackExchange(clock);
  const { respond, ...failing } = failOnDemand();
  let degradedReason: string | undefined;
  return {
    ...failing,
    degrade: (next) => {
      degradedReason = next;
    },
    expect: (...args) => respond(() => exchange.expect(...args)),
    release: exchange.release,
    offer: (...args) => respond(() => exchange.offer(...args)),
    get degradedReason() {
      return degradedReason;
    },
    get pending() {
      return exchange.pending;
    },
  };
};
