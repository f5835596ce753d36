import { type Clock, type Failure, unauthenticated } from '@portico/core';
import { err, errAsync, ok, type ResultAsync, safeTry } from 'neverthrow';
import { isCurrent, parseSignatureHeader, verifySignature } from './signature.ts';
import type { Registry } from './registry.ts';
import { systemClock } from '@portico/core/system';

/** Verifies the signatures of callbacks with the keys in a registry. */
export const becknVerifier = ({
  registry,
  clock = systemClock,
}: {
  readonly registry: Registry;
  readonly clock?: Clock;
}) => ({
  /**
   * Verifies the signature in an `Authorization` header against the received bytes, and returns the signer. Fails
   * `unauthenticated` when the signature is missing or invalid, and `upstream` when the key lookup fails.
   */
  verify: (
    authorization: string | undefined,
    body: Uint8Array,
  ): ResultAsync<{ readonly subscriberId: string }, Failure> => {
    if (authorization === undefined) return errAsync(unauthenticated('missing'));
    const header = parseSignatureHeader(authorization);
    if (!header || !isCurrent(header, clock.now() / 1000)) return errAsync(unauthenticated('invalid'));
    const { subscriberId, uniqueKeyId } = header;
    return safeTry(async function* () {
      const cached = yield* registry.publicKey(subscriberId, uniqueKeyId);
      if (cached && verifySignature(header, body, cached)) return ok({ subscriberId });
      // The subscriber may have published a new key under the same id.
      const fresh = cached && (yield* registry.publicKey(subscriberId, uniqueKeyId, true));
      return fresh && fresh !== cached && verifySignature(header, body, fresh)
        ? ok({ subscriberId })
        : err(unauthenticated('invalid'));
    });
  },
});
