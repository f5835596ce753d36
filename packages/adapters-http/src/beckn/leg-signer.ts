import { type Clock, type LegFailure, type SearchSigner, settleWithin, type Signal } from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';
import { checkIds, ed25519Signer, signatureHeader, signingString, type SigningSettings } from './signature.ts';

/** A subscriber whose signing key is held elsewhere, for example by a key management service. */
export interface SignerSettings extends Pick<SigningSettings, 'subscriberId' | 'uniqueKeyId'> {
  readonly signer: SearchSigner;
}

/** Lifetime of a signature. */
const signatureSeconds = 300;

/** Returns the `Authorization` header value for a body. */
type SignSearch = (body: string, signal: Signal) => ResultAsync<string, LegFailure>;

/**
 * Creates the function that signs the searches of a leg. It fails when the signer does, takes longer than `timeoutMs`, or
 * the search is cancelled. Throws a TypeError when an id or the key is invalid.
 */
export const legSigner = (settings: SigningSettings | SignerSettings, clock: Clock, timeoutMs: number): SignSearch => {
  const { subscriberId, uniqueKeyId } = settings;
  checkIds(settings);
  const signer = 'signer' in settings ? settings.signer : ed25519Signer(settings.privateKey);

  const sign = async (body: string): Promise<Result<string, LegFailure>> => {
    const created = Math.floor(clock.now() / 1000);
    const expires = created + signatureSeconds;
    try {
      const signed = await signer.sign(signingString(Buffer.from(body), created, expires));
      if (signed.isErr() || signed.value.length !== 64) return err(failed);
      return ok(signatureHeader({ subscriberId, uniqueKeyId, created, expires, signature: signed.value }));
    } catch {
      // The signer may be the user's own code, and its error may contain anything.
      return err(failed);
    }
  };

  const limits = { clock, timeoutMs, onTimeout: () => err(late), onAbort: () => err(failed) };
  return (body, signal) => new ResultAsync(settleWithin(sign(body), { ...limits, signal }));
};

const failed: LegFailure = { kind: 'bap_unreachable', detail: 'the search could not be signed' };
const late: LegFailure = { kind: 'bap_unreachable', detail: 'the search was not signed in time' };
