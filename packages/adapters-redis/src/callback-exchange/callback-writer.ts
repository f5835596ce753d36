import { err, type Result } from 'neverthrow';
import type { ConnectionHealth } from './connection-health.ts';
import type { PlacementOutcome } from './place-callback.ts';

type Place<Outcome> = (transactionId: string, callback: string, isVerified: boolean) => Promise<Outcome>;

/**
 * In characters: how much of callbacks may be on the way to Redis without a reply. Others wait until there is room, so that
 * the time which Redis has for a large callback is not spent on those before it.
 */
const maxUnanswered = 8 * 1024 * 1024;

/** Sends callbacks to Redis, and bounds how much of them is on the way at once. */
export class Placements {
  readonly #health: ConnectionHealth;
  readonly #send: Place<PlacementOutcome>;
  #unanswered = 0;
  #roomMade = Promise.withResolvers<void>();

  constructor(health: ConnectionHealth, send: Place<PlacementOutcome>) {
    this.#health = health;
    this.#send = send;
  }

  readonly place: Place<Result<PlacementOutcome, unknown>> = async (transactionId, callback, isVerified) => {
    this.#unanswered += callback.length;
    const reply = this.#send(transactionId, callback, isVerified).finally(() => {
      this.#unanswered -= callback.length;
      this.#recheckRoom();
    });
    return (await this.#health.within(reply)).orTee(() => this.#recheckRoom());
  };

  /** Waits for room while Redis is healthy. Commands without a reply stay in memory, however long their callers waited. */
  readonly placeInTurn: Place<Result<PlacementOutcome, unknown>> = async (transactionId, callback, isVerified) => {
    while (this.#unanswered > 0 && this.#unanswered + callback.length > maxUnanswered) {
      if (!this.#health.isHealthy) return err('late');
      await this.#roomMade.promise;
    }
    return this.#health.isConnected ? this.place(transactionId, callback, isVerified) : err('refused');
  };

  #recheckRoom(): void {
    this.#roomMade.resolve();
    this.#roomMade = Promise.withResolvers();
  }
}
