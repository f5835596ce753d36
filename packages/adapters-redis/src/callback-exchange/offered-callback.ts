import { hash } from 'node:crypto';
import { type OfferDetails, pairingOf } from '@portico/core';

/** Callbacks of this many bytes and more are read one by one, and only sent to Redis when it knows their leg. */
export const largeBytes = 64 * 1024;

/** A callback, and what Redis compares of it. */
export interface OfferedCallback {
  readonly transactionId: string;
  /** Empty when the callback arrived at the leg's owner: then it is counted, but not stored. */
  readonly text: string;
  readonly isVerified: boolean;
  /** The digest of the text. */
  readonly digest: string;
  /** Bytes of UTF-8. */
  readonly size: number;
  /** The digest of the `pairingOf` its context. */
  readonly pairing: string;
}

export const offeredCallback = (
  transactionId: string,
  text: string,
  { isVerified = false, context }: OfferDetails,
): OfferedCallback => ({
  transactionId,
  text,
  isVerified,
  digest: digestOf(text),
  size: Buffer.byteLength(text),
  pairing: digestOf(pairingOf(context)),
});

/** A digest (SHA-256), because texts are long and their values are private. Empty for no text. */
export const digestOf = (text: string | undefined): string =>
  text === undefined ? '' : hash('sha256', text, 'base64url');
