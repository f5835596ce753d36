import type { Cancel, Clock } from '@portico/core';
import type { Result } from 'neverthrow';
import { type NoReply, replyWithin } from '../connection.ts';
import type { ExchangeClient } from './client.ts';

/** Why Redis cannot be relied on, although a connection is open. */
export type Problem = NoReply | 'unchecked' | 'no-channel';

export interface HealthSettings {
  readonly client: ExchangeClient;
  readonly clock: Clock;
  /** How long a command may take. */
  readonly commandTimeoutMs: number;
  /** Subscribes this instance to its wake-ups; does nothing when it is subscribed. */
  readonly subscribe: () => Promise<unknown>;
  /** A write, because a Redis that is full, loading or a replica may reply to everything else. */
  readonly write: () => Promise<unknown>;
  /** Runs after each check in which Redis took the write. */
  readonly onWritable: () => void;
}

const probeEveryMs = 1000;

/** A connection on which checks get no reply for so long is replaced. */
const deadAfterMs = 4000;

/**
 * Whether Redis can be relied on. It cannot from each new connection, and from each command that is late or refused, until
 * a check has passed: only a check, because reads succeed on a Redis that refuses writes.
 */
export class ConnectionHealth {
  readonly #settings: HealthSettings;
  #problem: Problem | undefined = 'unchecked';
  #since: number;
  #healthySince = Infinity;
  /** Which connection is checked: a check says nothing of a later one. */
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
    if (!this.#settings.client.isReady) return troubles.unchecked;
    return this.#problem && troubles[this.#problem];
  }

  /** For how many milliseconds Redis has been healthy without a break. */
  get healthyForMs(): number {
    return this.isHealthy ? this.#settings.clock.monotonic() - this.#healthySince : 0;
  }

  /** A reply, or why there is none; then Redis is not healthy until a check has passed. */
  async within<T>(reply: Promise<T>): Promise<Result<T, NoReply>> {
    const { commandTimeoutMs, clock } = this.#settings;
    return (await replyWithin(reply, commandTimeoutMs, clock.after)).orTee((reason) => this.report(reason));
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
      if (found === 'late' && clock.monotonic() - this.#since > deadAfterMs) this.#reconnect();
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

  /** Pings do not find a connection that is dead in one direction: what is written meanwhile makes it look alive. */
  #reconnect(): void {
    const { client, clock } = this.#settings;
    this.#since = clock.monotonic();
    client.destroy();
    client.connect().catch(() => {});
  }
}

const locally = 'a callback reaches its search only on the instance where the search waits';

const troubles = {
  unchecked: `Redis cannot be reached: ${locally}`,
  late: `Redis is slow: ${locally}`,
  refused: `Redis refuses writes: ${locally}`,
  'no-channel': 'Redis does not let this user publish and subscribe: callbacks for other instances are refused or late',
} as const satisfies Record<Problem, string>;
