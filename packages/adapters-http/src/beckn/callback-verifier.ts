import type { KeyObject } from 'node:crypto';
import {
  type Clock,
  type Failure,
  type SentSearch,
  type SentSearches,
  transactionIdOf,
  unauthenticated,
  upstream,
} from '@portico/core';
import { systemClock } from '@portico/core/system';
import { err, errAsync, fromThrowable, ok, ResultAsync, safeTry } from 'neverthrow';
import type { Registry } from './registry.ts';
import { fieldOf } from '../json/field-of.ts';
import { isCurrent, parseSignatureHeader, verifySignature } from './signature.ts';

export interface BecknVerifierSettings {
  /** The registry of legs without their own. */
  readonly registry?: Registry | undefined;
  /** The registries of legs that have their own, by leg id. Requires `sent`. */
  readonly registries?: Readonly<Record<string, Registry>>;
  /** What the transport sent. Required for `registries`, and for callbacks that sign the signature of the request. */
  readonly sent?: SentSearches;
  readonly clock?: Clock;
}

/** Verifies the signatures of callbacks with the keys in a registry. */
export const becknVerifier = ({ registry, registries = {}, sent, clock = systemClock }: BecknVerifierSettings) => {
  const registryByLeg = new Map(Object.entries(registries));
  /** The registry of the leg that a callback is for. A search that is not known has none, unless all legs share one. */
  const registryOf = (search: SentSearch | undefined): Registry | undefined => {
    if (registryByLeg.size === 0) return registry;
    return search && (registryByLeg.get(search.legId) ?? registry);
  };
  return {
    /**
     * Verifies the signature in an `Authorization` header against the received bytes, and returns the signer. Fails
     * `unauthenticated` when the signature is missing, invalid or not by `sellerId`, `upstream` when the key lookup fails
     * or the search is not known, and `overloaded` during too many lookups. Without `sellerId`, any subscriber may sign.
     */
    verify: (
      authorization: string | undefined,
      body: Uint8Array,
      sellerId?: string,
    ): ResultAsync<{ readonly subscriberId: string }, Failure> => {
      if (authorization === undefined) return errAsync(unauthenticated('missing'));
      const header = parseSignatureHeader(authorization);
      if (!header || !isCurrent(header, clock.now() / 1000)) return errAsync(unauthenticated('invalid'));
      const { subscriberId, uniqueKeyId, isChained = false } = header;
      if (sellerId !== undefined && subscriberId !== sellerId) return errAsync(unauthenticated('invalid'));
      return safeTry(async function* () {
        const isNeeded = sent && (isChained || registryByLeg.size > 0);
        const search = isNeeded ? yield* sent.find(transactionIdIn(body)) : undefined;
        // Only callbacks of searches that wait are verified, so what was sent could not be stored yet.
        if (isNeeded && !search) return err(upstream('search', 'unreachable'));
        const trusted = registryOf(search);
        if (!trusted || (isChained && search?.signature === undefined)) return err(unauthenticated('invalid'));
        const isSignedWith = (key: KeyObject) => verifySignature(header, body, key, search?.signature);
        const cached = yield* trusted.publicKeys(subscriberId, uniqueKeyId);
        if (cached.some(isSignedWith)) return ok({ subscriberId });
        // The subscriber may have published a new key under the same id.
        const fresh = cached.length > 0 ? yield* trusted.publicKeys(subscriberId, uniqueKeyId, true) : [];
        const isNew = (key: KeyObject) => !cached.includes(key);
        return fresh.filter(isNew).some(isSignedWith) ? ok({ subscriberId }) : err(unauthenticated('invalid'));
      });
    },
  };
};

/** The transaction id in a callback; empty when there is none. */
const transactionIdIn = (body: Uint8Array): string => {
  const callback: unknown = fromThrowable(JSON.parse)(Buffer.from(body).toString()).unwrapOr(undefined);
  return transactionIdOf(fieldOf(callback, 'context'));
};
