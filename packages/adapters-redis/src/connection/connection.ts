import type { Cancel, Clock } from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, ok, type Result } from 'neverthrow';

/** For `rediss:` URLs. Explicit, so that no variable or option of Node can weaken them. */
export const verifiedTls = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

/**
 * For this long after each connection, in milliseconds, a missing key is not reported as unknown: Redis may have lost it, and
 * its instance may connect later and store it again.
 */
export const settlingMs = 5000;

/** The number of commands that may wait for Redis on one connection. Further ones fail at once. */
export const maxQueuedCommands = 50_000;

/**
 * Returns the options of a Redis connection: it reconnects automatically, and commands fail at once while it is down.
 * A new object each time, because the client writes into it.
 */
export const connectionOptions = (url: string) => ({
  url,
  disableOfflineQueue: true,
  commandsQueueMaxLength: maxQueuedCommands,
  // Detects an idle connection that was lost silently: its pings get no reply.
  pingInterval: 1000,
  socket: {
    ...verifiedTls,
    connectTimeout: 2000,
    socketTimeout: 5000,
    reconnectStrategy: (retries: number) => Math.min(25 * 2 ** retries, 1000),
  },
});

/** Why there is no reply. `timeout`: none arrived in time. `refused`: an error reply, or the connection was lost. */
export type NoReply = 'timeout' | 'refused';

/** The number of parts that a timeout is divided into. */
const parts = 4;

/**
 * Waits up to `ms` for a reply of Redis. After the event loop was blocked, a timer fires before a reply that is already
 * in the socket is read. The timeout therefore consists of several timers: a blocked event loop uses up one at most.
 */
export const replyWithin = async <T>(
  reply: Promise<T>,
  ms: number,
  after: Clock['after'],
): Promise<Result<T, NoReply>> => {
  const timeout = Promise.withResolvers<Result<T, NoReply>>();
  let cancel: Cancel;
  const wait = (left: number): void => {
    cancel = after(ms / parts, () => (left > 1 ? wait(left - 1) : timeout.resolve(err('timeout'))));
  };
  wait(parts);
  const settled: Promise<Result<T, NoReply>> = reply.then(
    (value) => ok(value),
    () => err('refused'),
  );
  const result = await Promise.race([settled, timeout.promise]);
  cancel!();
  return result;
};

interface Reconnectable {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
}

/** Replaces a connection. A client that is open but not ready already reconnects. */
export const connectAnew = (client: Reconnectable): void => {
  if (!client.isReady || !client.isOpen) return;
  client.destroy();
  client.connect().catch(() => {});
};

const replicaCheckMs = 5000;

/**
 * Returns a function that wraps replies. When one shows that Redis has become a replica, it also replaces the
 * connection, at most every `replicaCheckMs`: after a failover, the name of the server may lead to the new primary.
 */
export const unlessReplica = (client: Reconnectable) => {
  let replacedAt = -Infinity;
  return <T>(reply: Promise<T>): Promise<T> =>
    reply.catch((error: unknown) => {
      const now = systemClock.monotonic();
      const isReplica = client.isReady && String(error).includes("READONLY You can't write");
      if (isReplica && now - replacedAt >= replicaCheckMs) {
        replacedAt = now;
        connectAnew(client);
      }
      throw error;
    });
};

interface Closable {
  readonly isReady: boolean;
  on(event: 'ready', listener: () => void): unknown;
  close(): Promise<unknown>;
  destroy(): void;
}

/** Closes a client once its commands have a reply, and without them after `ms`. */
export const closeWithin = async (client: Closable, ms: number, after: Clock['after']): Promise<void> => {
  if (client.isReady) await replyWithin(client.close(), ms, after);
  // Also needed after a close without a reply: the client then reports itself as closed, but still has its connection.
  client.destroy();
  // The client keeps a connection that is being made at this moment.
  client.on('ready', () => client.destroy());
};
