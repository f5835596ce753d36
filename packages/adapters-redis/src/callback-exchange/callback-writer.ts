import { err, type Result } from 'neverthrow';
import type { ConnectionHealth } from './connection-health.ts';
import type { OfferedCallback } from './offered-callback.ts';
import type { StoreOutcome } from './store-callback.ts';

/** `until`: when the search of the leg ends at the latest, of the clock's `monotonic`. */
type Write<Outcome> = (callback: OfferedCallback, until?: number) => Promise<Outcome>;

/**
 * The maximum total length, in characters, of callbacks sent to Redis without a reply. Others wait, so that the timeout
 * of a large callback does not include the transfer of those before it.
 */
const maxInFlight = 8 * 1024 * 1024;

/** Sends callbacks to Redis, and limits how much is in flight at once. */
export class CallbackWriter {
  readonly #health: ConnectionHealth;
  readonly #send: Write<StoreOutcome>;
  #inFlight = 0;
  #spaceFreed = Promise.withResolvers<void>();

  constructor(health: ConnectionHealth, send: Write<StoreOutcome>) {
    this.#health = health;
    this.#send = send;
  }

  readonly write: Write<Result<StoreOutcome, unknown>> = async (callback, until) => {
    const { length } = callback.text;
    this.#inFlight += length;
    const reply = this.#send(callback).finally(() => {
      this.#inFlight -= length;
      this.#wakeWaiting();
    });
    return (await this.#health.within(reply, until)).orTee(() => this.#wakeWaiting());
  };

  /** Waits for space while Redis is healthy. Commands stay in memory until their reply, even after their timeout. */
  readonly writeInTurn: Write<Result<StoreOutcome, unknown>> = async (callback) => {
    while (this.#inFlight > 0 && this.#inFlight + callback.text.length > maxInFlight) {
      if (!this.#health.isHealthy) return err('timeout');
      await this.#spaceFreed.promise;
    }
    return this.#health.isConnected ? this.write(callback) : err('refused');
  };

  /** Counts a callback that arrived at its leg's owner, without storing it, while Redis is healthy. */
  readonly writeHere: Write<Result<StoreOutcome, unknown>> = async (callback, until) =>
    this.#health.isHealthy ? this.write({ ...callback, text: '' }, until) : err('timeout');

  #wakeWaiting(): void {
    this.#spaceFreed.resolve();
    this.#spaceFreed = Promise.withResolvers();
  }
}
