import type { KeyObject } from 'node:crypto';
import { type Failure, upstream } from '@portico/core';
import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { publicKeyOf } from './signature.ts';
import { boundedMap } from '../http/bounded-map.ts';
import { httpClient, type HttpSettings } from '../http/client.ts';
import { systemClock } from '@portico/core/system';

/** Whose key is whose, as a network's registry knows it. */
export interface Registry {
  /**
   * The signing key of a subscriber; undefined when the registry knows no such valid key. A known key is kept for 10
   * minutes, but never past its `valid_until`, an unknown one for 30 seconds. `fresh` asks the registry again, at most
   * once per 30 seconds and key, or a second after a failed lookup; when that fails, the kept key still serves.
   */
  publicKey(subscriberId: string, uniqueKeyId: string, fresh?: boolean): ResultAsync<KeyObject | undefined, Failure>;
}

export interface RegistrySettings extends HttpSettings {
  /** The registry's base address, to which `/lookup` is added. */
  readonly url: string;
}

const knownMs = 10 * 60_000;
const unknownMs = 30_000;
const refreshMs = 30_000;
const retryMs = 1_000;
const maxKeys = 1000;

/** Asks a Beckn registry, `POST {url}/lookup`. One question per key at a time. */
export const becknRegistry = ({
  url,
  clock = systemClock,
  maxResponseBytes = 1_048_576,
  ...http
}: RegistrySettings): Registry => {
  const client = httpClient('registry', { ...http, clock, maxResponseBytes });
  const lookupUrl = `${url.replace(/\/+$/, '')}/lookup`;
  // Apart, so that made-up names cannot push out the keys that serve.
  const known = boundedMap<Answer>(maxKeys);
  const unknown = boundedMap<Answer>(maxKeys);
  /** When a key may be asked for again, on the monotonic scale. */
  const refreshableAt = boundedMap<number>(maxKeys);
  const asking = new Map<string, Promise<Result<KeyObject | undefined, Failure>>>();

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

  const remember = (name: string, found: ValidKey | undefined): void => {
    known.delete(name);
    unknown.delete(name);
    const now = clock.monotonic();
    if (found) known.set(name, { ...found, keptUntil: now + knownMs });
    else unknown.set(name, { key: undefined, validUntil: Infinity, keptUntil: now + unknownMs });
  };

  const ask = (
    name: string,
    subscriberId: string,
    uniqueKeyId: string,
  ): Promise<Result<KeyObject | undefined, Failure>> => {
    const run = async () => {
      const result = await lookUp(subscriberId, uniqueKeyId);
      asking.delete(name);
      return result.map((found) => {
        remember(name, found);
        return found?.key;
      });
    };
    const answer = asking.get(name) ?? run();
    asking.set(name, answer);
    return answer;
  };

  const isKept = ({ keptUntil, validUntil }: Answer) => clock.monotonic() < keptUntil && clock.now() < validUntil;

  /** While a question is open its answer is awaited, so that whoever needs the new key does not get the old one. */
  const mayRefresh = (name: string) => asking.has(name) || clock.monotonic() >= (refreshableAt.get(name) ?? -Infinity);

  return {
    publicKey: (subscriberId, uniqueKeyId, fresh = false) => {
      const name = JSON.stringify([subscriberId, uniqueKeyId]);
      const kept = known.get(name) ?? unknown.get(name);
      if (kept && isKept(kept) && !(fresh && mayRefresh(name))) return okAsync(kept.key);
      if (fresh && !asking.has(name)) refreshableAt.set(name, clock.monotonic() + refreshMs);
      return new ResultAsync(ask(name, subscriberId, uniqueKeyId)).orElse((failure) => {
        if (fresh) refreshableAt.set(name, clock.monotonic() + retryMs);
        return kept && isKept(kept) ? okAsync(kept.key) : errAsync(failure);
      });
    },
  };
};

/** A key and the moment it ends, in milliseconds since the epoch. */
interface ValidKey {
  readonly key: KeyObject;
  readonly validUntil: number;
}

/** What the registry said; `keptUntil` is on the monotonic scale. */
interface Answer {
  readonly key: KeyObject | undefined;
  readonly validUntil: number;
  readonly keptUntil: number;
}

/** The first record that names this key and lets it sign now. */
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

/** A time with its zone (RFC 3339, section 5.6). What is given but is none becomes NaN, which no comparison lets pass. */
const timeOf = (value: unknown, otherwise: number): number => {
  if (value === undefined || value === null) return otherwise;
  return typeof value === 'string' && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
};
