import { type Checks, failed, type Finding, ok } from './check.ts';
import { unreached } from './request.ts';

/** Redis: PING, and its version. */
export const examineRedis: Checks = async ({ settings: { redis }, check }) => {
  const { url } = redis;
  if (url === undefined) return [];
  return [await check('Redis', (signal) => redisFinding(url, signal))];
};

const redisFinding = async (url: string, signal: AbortSignal): Promise<Finding> => {
  const { checkRedisServer, oldestVersions } = await import('@portico/adapters-redis');
  return (await checkRedisServer(url, signal)).match(
    ({ product, version, isSupported }) => {
      if (version === undefined) return ok('PING succeeded; the version is unknown, because INFO is not permitted');
      return isSupported
        ? ok(`PING succeeded, ${product} ${version}`)
        : failed(`${product} ${version} is too old`, `Use ${product} ${oldestVersions[product]} or newer.`);
    },
    (code) => {
      const advice = refusals[code];
      return advice === undefined ? unreached(code, 'redis.url') : failed(`Redis refused: ${code}`, advice);
    },
  );
};

/** Error codes of Redis. */
const refusals: Readonly<Record<string, string>> = {
  NOAUTH: 'Put user and password into redis.url (REDIS_URL).',
  WRONGPASS: 'Check user and password in redis.url (REDIS_URL).',
  NOPERM: 'Give this user the commands and channels that docs/scaling.md lists.',
  LOADING: 'Redis is still loading its data. Try again in a moment.',
  MASTERDOWN: 'Redis is a replica without its primary. Point redis.url at the primary.',
};
