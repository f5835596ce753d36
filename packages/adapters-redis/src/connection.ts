import type { Cancel, Clock } from '@portico/core';
import { err, ok, type Result } from 'neverthrow';

/**
 * Options of every connection to Redis: it reconnects by itself, and a command that cannot be sent at once fails at once.
 * A new object each time, because the client writes into it.
 */
export const connectionOptions = (url: string) => ({
  url,
  disableOfflineQueue: true,
  commandsQueueMaxLength: 50_000,
  // Finds an idle connection that was lost silently: its pings get no reply.
  pingInterval: 1000,
  socket: {
    connectTimeout: 2000,
    socketTimeout: 5000,
    reconnectStrategy: (retries: number) => Math.min(25 * 2 ** retries, 1000),
  },
});

/** Why there is no reply: none came in time, or it was an error or the connection was lost. */
export type NoReply = 'late' | 'refused';

/** A deadline is counted in so many parts. */
const parts = 4;

/**
 * Waits for a reply of Redis for `ms`. After a busy stretch of the event loop, a timer fires before a reply that is already
 * in the socket is read. So the time is counted in parts: a busy stretch, however long, uses up one of them at most.
 */
export const replyWithin = async <T>(
  reply: Promise<T>,
  ms: number,
  after: Clock['after'],
): Promise<Result<T, NoReply>> => {
  const late = Promise.withResolvers<Result<T, NoReply>>();
  let cancel: Cancel;
  const wait = (left: number): void => {
    cancel = after(ms / parts, () => (left > 1 ? wait(left - 1) : late.resolve(err('late'))));
  };
  wait(parts);
  const settled: Promise<Result<T, NoReply>> = reply.then(
    (value) => ok(value),
    () => err('refused'),
  );
  const result = await Promise.race([settled, late.promise]);
  cancel!();
  return result;
};
