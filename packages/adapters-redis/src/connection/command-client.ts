import { systemClock } from '@portico/core/system';
import { redisClient } from '../client.ts';
import { closeWithin, connectionOptions, unlessReplica } from './connection.ts';

/** The part of a Redis client that runs commands. Clients of `@redis/client` implement it, without the optional fields. */
export interface RedisCommandClient {
  readonly isReady: boolean;
  /**
   * Resolves when the connection was made for the first time, or was closed before. Until then, the first searches, callbacks
   * and requests with a session wait for up to a second together, so that an unreachable Redis does not delay all of them.
   */
  readonly connected?: Promise<unknown>;
  /**
   * Registers a listener that is called after each connection. Then sent searches are stored again, because Redis may have lost
   * them; for five seconds, those of other instances that are missing fail `upstream`.
   */
  readonly onConnected?: (listener: () => void) => void;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

export interface RedisConnection extends Required<RedisCommandClient> {
  close(): Promise<void>;
}

/** The maximum time for a graceful close. */
const closeMs = 500;

/** Creates a connection for commands. Connects and reconnects in the background, and never fails to start. */
export const redisCommandClient = (url: string): RedisConnection => {
  const client = redisClient(connectionOptions(url));
  client.on('error', () => {}); // reported as `degradedReason`; commands fail on their own
  const connected = client.connect().catch(() => {});
  const checked = unlessReplica(client);
  return {
    connected,
    onConnected: (listener) => void client.on('ready', listener),
    get isReady() {
      return client.isReady;
    },
    eval: (script, options) => checked(client.eval(script, options)),
    close: () => closeWithin(client, closeMs, systemClock.after),
  };
};
