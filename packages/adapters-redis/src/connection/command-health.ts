import { systemClock } from '@portico/core/system';
import type { RedisCommandClient } from './command-client.ts';
import type { NoReply } from './connection.ts';

/**
 * Tracks whether the commands of one adapter on a shared connection succeed. A lost connection is not part of it: see
 * `isReady`.
 */
export interface CommandHealth {
  /** Whether a command failed, and no check has succeeded since. */
  readonly isFailing: boolean;
  /**
   * After a timeout: resolves when the check got a reply, or the connection was lost. Until then, send nothing: on a silently
   * dead connection, each command would delay its detection.
   */
  readonly silence: Promise<void> | undefined;
  /** Reports a command that failed. */
  report(reason: NoReply): void;
  /** Why Redis cannot be used, and this consequence; undefined while it can be used. */
  degradedReason(consequence: string): string | undefined;
}

interface CommandHealthSettings {
  readonly client: RedisCommandClient;
  /** The prefix of the keys of this user. */
  readonly prefix: string;
  /** Called when Redis accepts writes again. */
  readonly onRecovered?: () => void;
}

/** A Redis that is full, loading or a replica refuses it, but may accept reads. */
const write = "return redis.call('SET', KEYS[1], '', 'PX', '1')";

const checkEveryMs = 1000;

/**
 * Tracks whether commands succeed. After one that failed, a key is written each second until Redis accepts it, so that
 * an instance without traffic also notices the recovery. Only one such check is sent at a time. After a timeout, the
 * first one is sent at once: its reply shows that Redis responds again.
 */
export const commandHealth = ({ client, prefix, onRecovered }: CommandHealthSettings): CommandHealth => {
  let problem: NoReply | undefined;
  let checking: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const isWritten =
      client.isReady &&
      (await client.eval(write, { keys: [`${prefix}check`], arguments: [] }).then(
        () => true,
        () => false,
      ));
    if (!isWritten && client.isReady) {
      problem = 'refused';
      checkLater();
      return;
    }
    // A new connection has not failed yet.
    problem = undefined;
    if (isWritten) onRecovered?.();
  };
  const start = (): void => {
    checking = check();
  };
  const checkLater = () => systemClock.after(checkEveryMs, start);
  return {
    get isFailing() {
      return problem !== undefined;
    },
    get silence() {
      return problem === 'timeout' ? checking : undefined;
    },
    report: (reason) => {
      // A lost connection is reported by `isReady`, and the next one has not failed yet.
      if (!client.isReady) return;
      const isFirst = problem === undefined;
      if (problem !== 'timeout') problem = reason;
      if (isFirst) void (reason === 'timeout' ? start() : checkLater());
    },
    degradedReason: (consequence) => {
      if (!client.isReady) return `Redis is unreachable; ${consequence}`;
      return problem && `Redis is slow or refuses writes; ${consequence}`;
    },
  };
};
