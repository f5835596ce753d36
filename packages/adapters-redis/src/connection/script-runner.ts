import { systemClock } from '@portico/core/system';
import { err, type Result } from 'neverthrow';
import type { RedisCommandClient } from './command-client.ts';
import type { CommandHealth } from './command-health.ts';
import { type NoReply, replyWithin } from './connection.ts';

interface ScriptSettings {
  readonly client: RedisCommandClient;
  /** The maximum wait for a reply, in milliseconds. */
  readonly waitMs: number;
  readonly health: CommandHealth;
}

/**
 * Runs a Lua script. Returns why there is no reply; `unreachable`: the command was not sent. With `sentLate`, a script that
 * was not sent because Redis did not respond is sent once it does on the same connection, although the caller has got `timeout`.
 */
type RunScript = (
  script: string,
  keys: string[],
  values: string[],
  sentLate?: boolean,
) => Promise<Result<unknown, NoReply | 'unreachable'>>;

/** The maximum wait for the first connection. */
const connectMs = 1000;

/**
 * Runs scripts. Waits once for the first connection, because a server accepts requests before it is made. After a timeout,
 * sends nothing until Redis responds again.
 */
export const scriptRunner = ({ client, waitMs, health }: ScriptSettings): RunScript => {
  let firstConnection: Promise<unknown> | undefined;
  return async (script, keys, values, sentLate = false) => {
    const send = () => client.eval(script, { keys, arguments: values });
    if (!client.isReady && client.connected)
      await (firstConnection ??= replyWithin(client.connected, connectMs, systemClock.after));
    const { silence } = health;
    if (silence && (await replyWithin(silence, waitMs, systemClock.after)).isErr()) {
      if (sentLate) void silence.then(() => client.isReady && send()).catch(() => {});
      return err('timeout');
    }
    if (!client.isReady) return err('unreachable');
    const reply = await replyWithin(send(), waitMs, systemClock.after);
    return reply.orTee(health.report);
  };
};
