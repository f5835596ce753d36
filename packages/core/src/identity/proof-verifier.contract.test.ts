import { errAsync, okAsync } from 'neverthrow';
import { testSuite } from '../contract/suite-test.test.support.ts';
import { invalidProof } from '../shared/failure.ts';
import { type ProofVerifierSubject, proofVerifierContract } from './proof-verifier.contract.ts';
import { fakeProofVerifier } from './proof-verifier.fake.ts';
import type { BoundProof, ProofVerifier } from './proof-verifier.port.ts';

const subject = (): ProofVerifierSubject => {
  const verifier = fakeProofVerifier();
  const request = {
    method: 'GET',
    url: 'https://portal.example/me/claims',
    token: 'aaaa.bbbb.cccc',
    thumbprint: 'k'.repeat(43),
  };
  return { verifier, request, prove: verifier.prove };
};

/** Checks another request than the one that was sent. */
const ignoring =
  (change: Partial<BoundProof>) =>
  (good: ProofVerifierSubject): ProofVerifierSubject => ({
    ...good,
    verifier: { verify: (proof) => good.verifier.verify({ ...proof, ...change }) },
  });

/** Remembers only the last proofs. */
const forgetting =
  (most: number) =>
  (good: ProofVerifierSubject): ProofVerifierSubject => {
    const used: string[] = [];
    const verify: ProofVerifier['verify'] = (request) => {
      const { proof } = request;
      if (used.slice(-most).includes(proof)) return errAsync(invalidProof);
      return used.includes(proof) ? okAsync(undefined) : good.verifier.verify(request).andTee(() => used.push(proof));
    };
    return { ...good, verifier: { verify } };
  };

testSuite<ProofVerifierSubject>('proof verifier', proofVerifierContract, subject, [
  ['ignores the method', ignoring({ method: 'GET' }), 'refuses a proof for another method'],
  ['ignores the URL', ignoring({ url: 'https://portal.example/me/claims' }), 'refuses a proof for another path'],
  [
    'ignores the key',
    ignoring({ thumbprint: 'k'.repeat(43) }),
    'refuses a proof with another key than that of the token',
  ],
  ['forgets all but the last proof', forgetting(1), 'refuses a proof that was used before other ones'],
  ['forgets all but the last ten proofs', forgetting(10), 'refuses a proof that was used before other ones'],
  ['ignores the token', ignoring({ token: 'aaaa.bbbb.cccc' }), 'refuses a proof for another token'],
]);
