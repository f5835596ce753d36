import { err, ok } from 'neverthrow';
import { unauthenticated } from '../../shared/failure.ts';
import { type Fails, failOnDemand } from '../../shared/fake.ts';
import type { CallbackVerifier } from './callback-verifier.port.ts';

export type FakeCallbackVerifier = CallbackVerifier & Fails;

/** Accepts the signer's name as a valid signature; `forged` is an invalid one. */
export const fakeCallbackVerifier = (): FakeCallbackVerifier => {
  const { respond, ...failing } = failOnDemand();
  return {
    ...failing,
    verify: (authorization) =>
      respond(() => {
        if (authorization === undefined) return err(unauthenticated('missing'));
        return authorization === 'forged' ? err(unauthenticated('invalid')) : ok({ subscriberId: authorization });
      }),
  };
};
