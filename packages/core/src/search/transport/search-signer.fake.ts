import { ok } from 'neverthrow';
import { type Fails, failOnDemand } from '../../shared/fake.ts';
import type { SearchSigner } from './search-signer.port.ts';

export interface FakeSearchSigner extends SearchSigner, Fails {
  /** What was signed so far, oldest first. */
  readonly signed: readonly Uint8Array[];
}

/** Returns 64 bytes that are no valid signature, each the number of signatures so far. */
export const fakeSearchSigner = (): FakeSearchSigner => {
  const { respond, ...failing } = failOnDemand();
  const signed: Uint8Array[] = [];
  return {
    ...failing,
    signed,
    sign: (bytes) =>
      respond(() => {
        signed.push(bytes);
        return ok(new Uint8Array(64).fill(signed.length));
      }),
  };
};
