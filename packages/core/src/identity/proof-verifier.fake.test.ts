import { describe, it } from 'vitest';
import { proofVerifierContract } from './proof-verifier.contract.ts';
import { fakeProofVerifier } from './proof-verifier.fake.ts';

proofVerifierContract({ describe, it }, () => {
  const verifier = fakeProofVerifier();
  const request = {
    method: 'GET',
    url: 'https://portal.example/me/claims',
    token: 'aaaa.bbbb.cccc',
    thumbprint: 'k'.repeat(43),
  };
  return { verifier, request, prove: verifier.prove };
});
