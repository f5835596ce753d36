import { err, ok } from 'neverthrow';
import { unauthenticated } from '../../shared/failure.ts';
import { type Fails, failsOnPurpose } from '../../shared/fake.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';

export type FakeCallbackVerifier = CallbackVerifier & Fails;

/** Takes the signer's name for a signature, and `forged` for a bad one; for tests. */
export const fakeCallbackVerifier = (): FakeCallbackVerifier => {
  const { answer, ...failing } = failsOnPurpose();
  return {
    ...failing,
    verify: (authorization) =>
      answer(() => {
        if (authorization === undefined) return err(unauthenticated('missing'));
        return authorization === 'forged' ? err(unauthenticated('invalid')) : ok({ subscriberId: authorization });
      }),
  };
};
