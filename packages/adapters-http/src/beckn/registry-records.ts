import type { KeyObject } from 'node:crypto';
import { isObject } from '@portico/core';
import { publicKeyOf } from './signature.ts';

/** A key and its expiry in milliseconds since the epoch. */
export interface ValidKey {
  readonly key: KeyObject;
  readonly validUntil: number;
}

/**
 * The names of a field in the registries that are in use: Beckn, ONDC (`ukId`), UHI (`unique_key_id`, `pub_key_id`,
 * `valid_to`), and Beckn 2.0 (camel case).
 */
const spellings = {
  subscriber: ['subscriber_id', 'subscriberId'],
  keyId: ['key_id', 'ukId', 'unique_key_id', 'pub_key_id', 'keyId'],
  signingKey: ['signing_public_key', 'signingPublicKey'],
  validFrom: ['valid_from', 'validFrom'],
  validUntil: ['valid_until', 'validUntil', 'valid_to'],
} as const;

/** The keys of all records that match the ids and are valid now, each once. `now` is in milliseconds since the epoch. */
export const validKeysIn = (
  records: readonly unknown[],
  subscriberId: string,
  uniqueKeyId: string,
  now: number,
): readonly ValidKey[] => {
  const keys = records.flatMap((record) =>
    isObject(record) &&
    valuesOf(record, 'subscriber').includes(subscriberId) &&
    valuesOf(record, 'keyId').includes(uniqueKeyId)
      ? validKeyOf(record, now)
      : [],
  );
  return keys.filter(({ key }, index) => keys.findIndex((other) => other.key.equals(key)) === index);
};

const validKeyOf = (record: Readonly<Record<string, unknown>>, now: number): readonly ValidKey[] => {
  const [text] = valuesOf(record, 'signingKey');
  const validUntil = timeOf(valuesOf(record, 'validUntil')[0], Infinity);
  const isValid = timeOf(valuesOf(record, 'validFrom')[0], -Infinity) <= now && now < validUntil;
  const key = isSubscribed(record) && isValid && typeof text === 'string' ? publicKeyOf(text) : undefined;
  return key ? [{ key, validUntil }] : [];
};

/** The values of a field under all its names. */
const valuesOf = (record: Readonly<Record<string, unknown>>, field: keyof typeof spellings): readonly unknown[] =>
  spellings[field].flatMap((name) => record[name] ?? []);

/** A record without a status is valid; one that is revoked is not, whatever its status is. */
const isSubscribed = ({ status, is_revoked: isRevoked }: Readonly<Record<string, unknown>>): boolean =>
  (isRevoked ?? false) === false &&
  (status === undefined || status === null || (typeof status === 'string' && status.toUpperCase() === 'SUBSCRIBED'));

/** Parses a time with a time zone (RFC 3339, section 5.6). Returns NaN when invalid, so that every comparison fails. */
const timeOf = (value: unknown, fallback: number): number => {
  if (value === undefined) return fallback;
  return typeof value === 'string' && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : NaN;
};
