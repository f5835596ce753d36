import type { KeyObject } from 'node:crypto';
import { type Failure, upstream } from '@portico/core';
import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { publicKeyOf } from './signature.ts';
import { boundedMap } from '../http/bounded-map.ts';
import { httpClient, type HttpSettings } from '../http/client.ts';
import { systemClock } from '@portico/core/system';

/** Looks up subscribers' signing keys in a Beckn registry. */
export interface Registry {
  /**
   * Returns the signing key of a subscriber, or undefined when the registry has no such valid key. A key is cached for 10
   * minutes, but never past its `valid_until`; a missing key for 30 seconds. `fresh` bypasses the cache, at most once per
   * 30 seconds and key, or 1 second after a failed lookup. If that lookup fails, the cached key is returned.
   */
  publicKey(subscriberId: string, uniqueKeyId: string, fresh?: boolean): ResultAsync<KeyObject | undefined, Failure>;
}

export interface RegistrySettings extends HttpSettings {
  /** Base URL of the registry, without `/lookup`. */
  readonly url: string;
}

const foundTtlMs = 10 * 60_000;
const missingTtlMs = 30_000;
const refreshMs = 30_000;
const retryMs = 1_000;
const maxKeys = 1000;

/** Looks up keys with `POST {url}/lookup`, one request per key at a time. */
export const becknRegistry = ({
  url,
  clock = systemClock,
  maxResponseBytes = 1_048_576,
  ...http
}: RegistrySettings): Registry => {
  const client = httpClient('registry', { ...http, clock, maxResponseBytes });
  const lookupUrl = `${url.replace(/\/+$/, '')}/lookup`;
  // Separate maps, so that made-up key ids cannot evict valid keys.
  const found = boundedMap<CachedKey>(maxKeys);
  const missing = boundedMap<CachedKey>(maxKeys);
  /** When a key may be refreshed again, in monotonic time. */
  const refreshableAt = boundedMap<number>(maxKeys);
  const pending = new Map<string, Promise<Result<KeyObject | undefined, Failure>>>();

  const lookUp = (subscriberId: string, uniqueKeyId: string): ResultAsync<ValidKey | undefined, Failure> =>
    client
      .json(
        {
          method: 'POST',
          url: lookupUrl,
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify({ subscriber_id: subscriberId, ukId: uniqueKeyId }),
        },
        (status) => (status >= 200 && status <= 299 ? undefined : upstream('registry', 'status')),
      )
      .andThen(({ value }) =>
        Array.isArray(value)
          ? ok(validKeyIn(value, subscriberId, uniqueKeyId, clock.now()))
          : err(upstream('registry', 'malformed')),
      );

  const store = (name: string, validKey: ValidKey | undefined): void => {
    found.delete(name);
    missing.delete(name);
    const now = clock.monotonic();
    if (validKey) found.set(name, { ...validKey, cachedUntil: now + foundTtlMs });
    else missing.set(name, { key: undefined, validUntil: Infinity, cachedUntil: now + missingTtlMs });
  };

  const fetchKey = (
    name: string,
    subscriberId: string,
    uniqueKeyId: string,
  ): Promise<Result<KeyObject | undefined, Failure>> => {
    const run = async () => {
      const result = await lookUp(subscriberId, uniqueKeyId);
      pending.delete(name);
      return result.map((validKey) => {
        store(name, validKey);
        return validKey?.key;
      });
    };
    const lookup = pending.get(name) ?? run();
    pending.set(name, lookup);
    return lookup;
  };

  const isUsable = ({ cachedUntil, validUntil }: CachedKey) =>
    clock.monotonic() < cachedUntil && clock.now() < validUntil;

  /** True also while a lookup is pending, so that callers wait for the new key instead of getting the old one. */
  const canRefresh = (name: string) => pending.has(name) || clock.monotonic() >= (refreshableAt.get(name) ?? -Infinity);

  return {
    publicKey: (subscriberId, uniqueKeyId, fresh = false) => {
      const name = JSON.stringify([subscriberId, uniqueKeyId]);
      const cached = found.get(name) ?? missing.get(name);
      if (cached && isUsable(cached) && !(fresh && canRefresh(name))) return okAsync(cached.key);
      if (fresh && !pending.has(name)) refreshableAt.set(name, clock.monotonic() + refreshMs);
      return new ResultAsync(fetchKey(name, subscriberId, uniqueKeyId)).orElse((failure) => {
        if (fresh) refreshableAt.set(name, clock.monotonic() + retryMs);
        return cached && isUsable(cached) ? okAsync(cached.key) : errAsync(failure);
      });
    },
  };
};

/** A key and its expiry in milliseconds since the epoch. */
interface ValidKey {
  readonly key: KeyObject;
  readonly validUntil: number;
}

/** The result of a lookup. `cachedUntil` is in monotonic time. */
interface CachedKey {
  readonly key: KeyObject | undefined;
  readonly validUntil: number;
  readonly cachedUntil: number;
}

/** The key of the first record that matches the ids and is valid now. */
const validKeyIn = (
  records: readonly unknown[],
  subscriberId: string,
  uniqueKeyId: string,
  now: number,
): ValidKey | undefined => {
  for (const record of records) {
    const { subscriber_id, key_id, signing_public_key, valid_from, valid_until, status } = (record ?? {}) as Record<
      string,
      unknown
    >;
    if (subscriber_id !== subscriberId || key_id !== uniqueKeyId) continue;
    if (!isSubscribed(status) || !(timeOf(valid_from, -Infinity) <= now)) continue;
    const validUntil = timeOf(valid_until, Infinity);
    const key = typeof signing_public_key === 'string' ? publicKeyOf(signing_public_key) : undefined;
    if (key && now < validUntil) return { key, validUntil };
  }
  return undefined;
};

const isSubscribed = (status: unknown): boolean =>
  status === undefined || status === null || (typeof status === 'string' && status.toUpperCase() === 'SUBSCRIBED');

/** Parses a time with a time zone (RFC 3339, section 5.6). Returns NaN when invalid, so that every comparison fails. */
const timeOf = (value: unknown, fallback: number): number => {
  if (value === undefined || value === null) return fallback;
  return typeof value === 'string' && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
};
