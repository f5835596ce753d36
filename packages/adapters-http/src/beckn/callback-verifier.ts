import { type Clock, type Failure, unauthenticated } from '@portico/core';
import { err, errAsync, ok, type ResultAsync, safeTry } from 'neverthrow';
import { isCurrent, parseSignatureHeader, verifySignature } from './signature.ts';
import type { Registry } from './registry.ts';
import { systemClock } from '@portico/core/system';

/** Who signed a body: the subscriber, or why not. */
export const becknVerifier = ({
  registry,
  clock = systemClock,
}: {
  readonly registry: Registry;
  readonly clock?: Clock;
}) => ({
  /**
   * Checks an `Authorization` header against the very bytes that came. Fails `unauthenticated` when they do not belong
   * together, and `upstream` when the registry, asked for the key, does not answer as promised.
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
      const kept = yield* registry.publicKey(subscriberId, uniqueKeyId);
      if (kept && verifySignature(header, body, kept)) return ok({ subscriberId });
      // The subscriber may have a new key under the same id; the same key need not be tried twice.
      const fresh = kept && (yield* registry.publicKey(subscriberId, uniqueKeyId, true));
      return fresh && fresh !== kept && verifySignature(header, body, fresh)
        ? ok({ subscriberId })
        : err(unauthenticated('invalid'));
    });
  },
});
