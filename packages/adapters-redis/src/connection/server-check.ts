import { err, ok, type Result } from 'neverthrow';
import { type RedisClient, redisClient } from '../client.ts';
import { verifiedTls } from './connection.ts';

/** What a Redis or Valkey server reports about itself. */
export interface RedisServerInfo {
  readonly product: 'Redis' | 'Valkey';
  /** Undefined when this user may not run INFO. */
  readonly version: string | undefined;
  /** Whether the version is at least `oldestVersions`; true when it is not known. */
  readonly isSupported: boolean;
}

export const oldestVersions = { Redis: '6.2', Valkey: '7.2' } as const;

/**
 * Connects once, sends PING and INFO, and disconnects. Nothing is written. Fails with the code of the system or of Redis
 * (`ECONNREFUSED`, `WRONGPASS`, `ERR_INVALID_URL`), never with a message, which may quote the URL. An abort ends the connection.
 */
export const checkRedisServer = async (url: string, signal: AbortSignal): Promise<Result<RedisServerInfo, string>> => {
  if (signal.aborted) return err('connection closed');
  let client: RedisClient | undefined;
  const end = () => {
    if (client?.isOpen) client.destroy();
  };
  signal.addEventListener('abort', end);
  try {
    client = redisClient({ url, socket: { ...verifiedTls, reconnectStrategy: false, connectTimeout: 60_000 } });
    client.on('error', () => {}); // connect() rejects with it
    await client.connect();
    await client.ping();
    const info = await client.info('server').catch(() => '');
    return ok(infoIn(info));
  } catch (error) {
    return err(client ? codeOf(error) : 'ERR_INVALID_URL');
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
};

const infoIn = (info: string): RedisServerInfo => {
  const valkey = fieldIn(info, 'valkey_version');
  const product = valkey === undefined ? 'Redis' : 'Valkey';
  const version = valkey ?? fieldIn(info, 'redis_version');
  return { product, version, isSupported: version === undefined || isAtLeast(version, oldestVersions[product]) };
};

const fieldIn = (info: string, name: string): string | undefined =>
  new RegExp(String.raw`^${name}:([\w.-]+)`, 'm').exec(info)?.[1];

const isAtLeast = (version: string, oldest: string): boolean =>
  version.localeCompare(oldest, 'en', { numeric: true }) >= 0;

/** Errors of Redis begin with a code in capitals: `NOAUTH Authentication required.` */
const codeOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? /^[A-Z]+(?= )/.exec(message)?.[0] ?? 'connection closed';
};
