import type { KeyObject } from 'node:crypto';
import { type Failure, overloaded } from '@portico/core';
import { err, errAsync, okAsync, type Result, ResultAsync } from 'neverthrow';
import { startAge } from '../resilience/age.ts';
import { boundedMap } from '../http/bounded-map.ts';
import { registryDefaults, registryLookup, type RegistrySettings } from './registry-lookup.ts';
import { type ValidKey, validKeysIn } from './registry-records.ts';
import { systemClock } from '@portico/core/system';

/** Looks up subscribers' signing keys in a Beckn registry. */
export interface Registry {
  /**
   * Returns the signing keys of a subscriber under this id: none when the registry has no such valid key, several while a
   * key is replaced under the same id. Keys are cached for 10 minutes, but never past their `valid_until`; missing keys
   * for 30 seconds. `fresh` bypasses the cache, at most once per second and id: a forged callback must not delay the
   * lookup of a new key for long. If that lookup fails, the cached keys are returned. Fails `overloaded` while 100 lookups
   * wait for the registry.
   */
  publicKeys(subscriberId: string, uniqueKeyId: string, fresh?: boolean): ResultAsync<readonly KeyObject[], Failure>;
}

const foundTtlMs = 10 * 60_000;
const missingTtlMs = 30_000;
const refreshMs = 1_000;
const maxKeys = 1000;
const maxLookups = 100;

/** Looks up keys in a registry of one of the profiles, one request per key id at a time. */
export const becknRegistry = ({
  clock = systemClock,
  maxResponseBytes = registryDefaults.maxResponseBytes,
  ...settings
}: RegistrySettings): Registry => {
  const lookUp = registryLookup({ ...settings, maxResponseBytes }, clock);
  // Separate maps, so that made-up key ids cannot evict valid keys.
  const found = boundedMap<CachedKeys>(maxKeys);
  const missing = boundedMap<CachedKeys>(maxKeys);
  /** When a key id may be refreshed again, in monotonic time. */
  const refreshableAt = boundedMap<number>(maxKeys);
  const pending = new Map<string, Promise<Result<readonly KeyObject[], Failure>>>();

  const store = (name: string, keys: readonly ValidKey[]): readonly KeyObject[] => {
    found.delete(name);
    missing.delete(name);
    const [cache, ttlMs] = keys.length > 0 ? [found, foundTtlMs] : [missing, missingTtlMs];
    cache.set(name, { keys, age: startAge(clock), ttlMs });
    return keys.map(({ key }) => key);
  };

  const fetchKeys = (
    name: string,
    subscriberId: string,
    uniqueKeyId: string,
  ): Promise<Result<readonly KeyObject[], Failure>> => {
    const run = async () => {
      const result = await lookUp(subscriberId, uniqueKeyId);
      pending.delete(name);
      return result.map((records) => store(name, validKeysIn(records, subscriberId, uniqueKeyId, clock.now())));
    };
    const running = pending.get(name);
    if (running) return running;
    if (pending.size >= maxLookups) return Promise.resolve(err(overloaded()));
    const lookup = run();
    pending.set(name, lookup);
    return lookup;
  };

  /** The cached keys that are valid now, or undefined when they must be looked up. */
  const usableKeys = (name: string): readonly KeyObject[] | undefined => {
    const { keys, age, ttlMs } = found.get(name) ?? missing.get(name) ?? nothingCached;
    const now = clock.now();
    const valid = keys.filter(({ validUntil }) => now < validUntil);
    return age() < ttlMs && (valid.length > 0 || keys.length === 0) ? valid.map(({ key }) => key) : undefined;
  };

  /** True also while a lookup is pending, so that callers wait for the new keys instead of getting the old ones. */
  const canRefresh = (name: string) => pending.has(name) || clock.monotonic() >= (refreshableAt.get(name) ?? -Infinity);

  return {
    publicKeys: (subscriberId, uniqueKeyId, fresh = false) => {
      const name = JSON.stringify([subscriberId, uniqueKeyId]);
      const cached = usableKeys(name);
      if (cached && !(fresh && canRefresh(name))) return okAsync(cached);
      if (fresh && !pending.has(name)) refreshableAt.set(name, clock.monotonic() + refreshMs);
      return new ResultAsync(fetchKeys(name, subscriberId, uniqueKeyId)).orElse((failure) => {
        const stillUsable = usableKeys(name);
        return stillUsable ? okAsync(stillUsable) : errAsync(failure);
      });
    },
  };
};

/** The result of a lookup. */
interface CachedKeys {
  readonly keys: readonly ValidKey[];
  readonly age: () => number;
  readonly ttlMs: number;
}

const nothingCached: CachedKeys = { keys: [], age: () => 0, ttlMs: 0 };
