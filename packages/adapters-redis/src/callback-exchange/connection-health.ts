import type { Cancel, Clock } from '@portico/core';
import type { Result } from 'neverthrow';
import { connectAnew, type NoReply, replyWithin } from '../connection/connection.ts';
import type { RedisClient } from '../client.ts';

/** Why Redis is not healthy although a connection is open. */
export type Problem = NoReply | 'unchecked' | 'no-channel';

interface HealthSettings {
  readonly client: RedisClient;
  readonly clock: Clock;
  /** The timeout of a command. */
  readonly commandTimeoutMs: number;
  /** Subscribes this instance to its wake-up channel. Does nothing if it is already subscribed. */
  readonly subscribe: () => Promise<unknown>;
  /** Writes a key. A Redis that is full, loading or a replica may accept every other command. */
  readonly write: () => Promise<unknown>;
  /** Called after each check in which Redis accepted the write. */
  readonly onWritable: () => void;
}

const probeEveryMs = 1000;

/** A connection is replaced when checks get no reply for this long. */
const deadAfterMs = 4000;

/** The time limit of a reply that may be queued behind others, in time limits of one reply. */
const queuedTimeouts = 4;

/**
 * Tracks whether Redis is healthy. Each new connection and each command that times out or is refused makes it unhealthy
 * until a check passes. Other commands do not make it healthy, because reads succeed on a Redis that refuses writes.
 */
export class ConnectionHealth {
  readonly #settings: HealthSettings;
  #problem: Problem | undefined = 'unchecked';
  #since: number;
  #healthySince = Infinity;
  /** The number of the connection. The result of a check does not apply to a later connection. */
  #connection = 0;
  #isChecking = false;
  #isClosed = false;
  #cancelProbe: Cancel | undefined;

  constructor(settings: HealthSettings) {
    this.#settings = settings;
    this.#since = settings.clock.monotonic();
    settings.client.on('ready', () => {
      this.#connection++;
      this.report('unchecked');
      void this.#probe();
    });
  }

  get isConnected(): boolean {
    return this.#settings.client.isReady;
  }

  get isHealthy(): boolean {
    return this.isConnected && this.#problem === undefined;
  }

  get degradedReason(): string | undefined {
    if (!this.#settings.client.isReady) return degradedReasons.unchecked;
    return this.#problem && degradedReasons[this.#problem];
  }

  /** How long Redis has been healthy without interruption, in milliseconds; 0 when it is not healthy. */
  get healthyForMs(): number {
    return this.isHealthy ? this.#settings.clock.monotonic() - this.#healthySince : 0;
  }

  /**
   * Returns the reply, or why there is none. Without a reply, Redis is unhealthy until a check passes. Waits for half of the time
   * until `until` at most; if that is less than a command may take, a timeout does not mean that Redis is slow.
   */
  async within<T>(reply: Promise<T>, until = Infinity): Promise<Result<T, NoReply>> {
    const { commandTimeoutMs, clock } = this.#settings;
    const leftMs = this.#halfOfTime(until);
    const received = await replyWithin(reply, Math.min(commandTimeoutMs, leftMs), clock.after);
    return received.orTee((reason) => {
      if (reason !== 'timeout' || leftMs >= commandTimeoutMs) this.report(reason);
    });
  }

  /**
   * Waits for a reply that may be queued behind others, for half of the time until `until` at most. A late one does not mean
   * that Redis is slow.
   */
  async withinQueue(reply: Promise<unknown>, until: number): Promise<void> {
    const { commandTimeoutMs, clock } = this.#settings;
    await replyWithin(reply, Math.min(queuedTimeouts * commandTimeoutMs, this.#halfOfTime(until)), clock.after);
  }

  report(problem: Problem): void {
    if (this.#isClosed) return;
    if (this.#problem === undefined) {
      this.#since = this.#settings.clock.monotonic();
      this.#probeLater();
    }
    this.#problem = problem;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelProbe?.();
  }

  #halfOfTime(until: number): number {
    return Math.max(0, (until - this.#settings.clock.monotonic()) / 2);
  }

  #probeLater(): void {
    this.#cancelProbe?.();
    this.#cancelProbe = this.#settings.clock.after(probeEveryMs, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    if (this.#isClosed || this.#isChecking || this.#problem === undefined) return undefined;
    const { client, clock, onWritable } = this.#settings;
    const connection = this.#connection;
    this.#isChecking = true;
    const found = client.isReady ? await this.#check() : this.#problem;
    this.#isChecking = false;
    if (this.#isClosed) return undefined;
    if (connection !== this.#connection) return this.#probe();
    this.#problem = found;
    if (found === undefined) this.#healthySince = clock.monotonic();
    else {
      if (found === 'timeout' && clock.monotonic() - this.#since > deadAfterMs) this.#reconnect();
      this.#probeLater();
    }
    if (client.isReady && (found === undefined || found === 'no-channel')) onWritable();
    return undefined;
  }

  async #check(): Promise<Problem | undefined> {
    const { clock, commandTimeoutMs, subscribe, write } = this.#settings;
    const [subscribed, written] = await Promise.all([
      replyWithin(subscribe(), commandTimeoutMs, clock.after),
      replyWithin(write(), commandTimeoutMs, clock.after),
    ]);
    if (written.isErr()) return written.error;
    return subscribed.isErr() ? 'no-channel' : undefined;
  }

  /** Pings do not detect a connection that is dead in one direction: commands written meanwhile make it look alive. */
  #reconnect(): void {
    const { client, clock } = this.#settings;
    this.#since = clock.monotonic();
    connectAnew(client);
  }
}

const localDeliveryOnly = 'callbacks are only delivered on the instance that started the search';

const degradedReasons = {
  unchecked: `Redis is unreachable; ${localDeliveryOnly}`,
  timeout: `Redis is slow; ${localDeliveryOnly}`,
  refused: `Redis refuses writes; ${localDeliveryOnly}`,
  'no-channel': 'Redis denies this user publish or subscribe; callbacks for other instances are refused or delayed',
} as const satisfies Record<Problem, string>;
