import { randomUUID } from 'node:crypto';
import {
  type Failure,
  maxSignInMs,
  type SessionContent,
  type SessionStore,
  type StoredSession,
  upstream,
} from '@portico/core';
import { systemClock } from '@portico/core/system';
import { okAsync, ResultAsync } from 'neverthrow';
import type { RedisCommandClient } from './connection/command-client.ts';
import { commandHealth } from './connection/command-health.ts';
import { acquire, create, find, release, remove, removeLabelled, replace } from './session-scripts.ts';
import { scriptRunner } from './connection/script-runner.ts';

export const redisSessionStoreDefaults = { prefix: 'portico:', waitMs: 500 } as const;

/** Defaults: `redisSessionStoreDefaults`. */
export interface RedisSessionStoreSettings {
  /** Can be shared with rate limiters. */
  readonly client: RedisCommandClient;
  /** The prefix of every key. */
  readonly prefix?: string;
  /** The maximum time that a request waits for a reply of Redis, in milliseconds. */
  readonly waitMs?: number;
}

/**
 * Stores browser sessions for all instances. Each operation is one script, so it takes effect in one step; `{sessions}` puts
 * all keys in one cluster slot. Every key expires. While Redis is down, each operation fails at once with `unreachable`; one
 * that fails with `timeout` may have taken effect, and `remove` and `release` take effect when Redis responds again on the
 * same connection.
 */
export const redisSessionStore = ({
  client,
  prefix = redisSessionStoreDefaults.prefix,
  waitMs = redisSessionStoreDefaults.waitMs,
}: RedisSessionStoreSettings): SessionStore => {
  const key = (kind: 'session' | 'label' | 'removed' | 'lease', name: string) => `${prefix}{sessions}:${kind}:${name}`;
  const prefixes = [key('session', ''), key('label', '')];
  const health = commandHealth({ client, prefix: `${prefix}{sessions}:` });
  const runScript = scriptRunner({ client, waitMs, health });

  /** The values that `create` and `replace` have in common. */
  const written = (id: string, { value, expiresInMs }: SessionContent): string[] => [
    id,
    value,
    randomUUID(),
    milliseconds(expiresInMs),
    String(systemClock.now()),
    ...prefixes,
  ];

  const run = (...args: Parameters<typeof runScript>): ResultAsync<unknown, Failure> =>
    new ResultAsync(runScript(...args)).mapErr((none) =>
      upstream('sessions', none === 'timeout' ? 'timeout' : 'unreachable'),
    );

  const endLease = (id: string, lease: string) => run(release, [key('lease', id)], [lease], true).map(() => {});

  return {
    create: (id, session) => {
      const { labels, beganMsAgo } = session;
      if (beganMsAgo > maxSignInMs) return okAsync(false);
      const refusedMs = String(Math.floor(maxSignInMs - beganMsAgo));
      return run(
        create,
        [key('session', id), ...labels.map((label) => key('label', label))],
        [...written(id, session), labels.join(' '), key('removed', ''), refusedMs],
      ).map((created) => created === 1);
    },
    find: (id) => run(find, [key('session', id)], []).map(storedSession),
    replace: (id, version, content) =>
      run(replace, [key('session', id)], [...written(id, content), version]).map((replaced) => replaced === 1),
    remove: (id) => run(remove, [key('session', id)], [id, ...prefixes], true).map(() => {}),
    removeLabelled: (label) =>
      run(removeLabelled, [key('label', label), key('removed', label)], [...prefixes, String(maxSignInMs)]).map(Number),
    acquire: (id, leaseMs) => {
      const lease = randomUUID();
      return run(acquire, [key('lease', id)], [lease, milliseconds(leaseMs)])
        .map((given) => (given === null ? undefined : lease))
        .mapErr((failure) => {
          // It may have been given nevertheless, and would block the session until it ends.
          void endLease(id, lease);
          return failure;
        });
    },
    release: endLease,
    get degradedReason() {
      return health.degradedReason('browser sessions cannot be read or written');
    },
  };
};

/** Redis refuses an expiry of 0, and fractions. */
const milliseconds = (ms: number): string => String(Math.max(1, Math.floor(ms)));

const storedSession = (reply: unknown): StoredSession | undefined => {
  const [value, version] = reply as readonly (string | null)[];
  return typeof value === 'string' && typeof version === 'string' ? { value, version } : undefined;
};
