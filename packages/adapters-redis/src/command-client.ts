import { systemClock } from '@portico/core/system';
import { createClient } from '@redis/client';
import { err, type Result } from 'neverthrow';
import { closeWithin, connectionOptions, type NoReply, replyWithin } from './connection.ts';

/** The part of a Redis client that runs commands. Clients of `@redis/client` implement it. */
export interface RedisCommandClient {
  readonly isReady: boolean;
  eval(script: string, options: { readonly keys: string[]; readonly arguments: string[] }): Promise<unknown>;
}

export interface RedisConnection extends RedisCommandClient {
  /** Resolves when the connection was made for the first time, or was closed before. */
  readonly connected: Promise<unknown>;
  /** Registers a listener that is called after each connection. */
  readonly onConnected: (listener: () => void) => void;
  close(): Promise<void>;
}

/** The maximum time for a graceful close. */
const closeMs = 500;

/** Creates a connection for commands. Connects and reconnects in the background, and never fails to start. */
export const redisCommandClient = (url: string): RedisConnection => {
  const client = createClient(connectionOptions(url));
  client.on('error', () => {}); // reported by those who use it; commands fail on their own
  const connected = client.connect().catch(() => {});
  return {
    connected,
    onConnected: (listener) => void client.on('ready', listener),
    get isReady() {
      return client.isReady;
    },
    eval: (script, options) => client.eval(script, options),
    close: () => closeWithin(client, closeMs, systemClock.after),
  };
};

export interface ScriptSettings {
  readonly client: RedisCommandClient;
  /** Resolves at the first connection. Until then, the first commands wait for up to a second together. */
  readonly connected?: Promise<unknown> | undefined;
  /** The maximum wait for a reply, in milliseconds. */
  readonly waitMs: number;
}

/** Runs a Lua script. Returns why there is no reply; `unreachable`: the command was not sent. */
export type RunScript = (
  script: string,
  keys: string[],
  values: string[],
) => Promise<Result<unknown, NoReply | 'unreachable'>>;

/** The maximum wait for the first connection. */
const connectMs = 1000;

/** Runs scripts. Waits once for the first connection, because a server accepts requests before it is made. */
export const scriptRunner = ({ client, connected, waitMs }: ScriptSettings): RunScript => {
  let firstConnection: Promise<unknown> | undefined;
  return async (script, keys, values) => {
    if (!client.isReady && connected) await (firstConnection ??= replyWithin(connected, connectMs, systemClock.after));
    if (!client.isReady) return err('unreachable');
    return replyWithin(client.eval(script, { keys, arguments: values }), waitMs, systemClock.after);
  };
};
