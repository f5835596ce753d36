import { err, ok } from 'neverthrow';
import { invalidProof } from '../../shared/failure.ts';
import { type Fails, failOnDemand } from '../../shared/fake.ts';
import type { BoundProof, ProofVerifier } from './proof-verifier.port.ts';

export interface FakeProofVerifier extends ProofVerifier, Fails {
  /** Creates a proof that `verify` accepts once, for exactly this request, token and key. */
  prove(proof: Omit<BoundProof, 'proof'>): string;
}

export const fakeProofVerifier = (): FakeProofVerifier => {
  const { respond, ...failing } = failOnDemand();
  const proofs = new Map<string, string>();
  let created = 0;
  return {
    ...failing,
    prove: (request) => {
      const proof = `fake.${++created}.proof`;
      proofs.set(proof, contentOf(request));
      return proof;
    },
    verify: (request) =>
      respond(() => {
        if (proofs.get(request.proof) !== contentOf(request)) return err(invalidProof);
        proofs.delete(request.proof);
        return ok(undefined);
      }),
  };
};

/** What a proof is for. Its URL has no query. */
const contentOf = ({ method, url, token, thumbprint }: Omit<BoundProof, 'proof'>): string =>
  JSON.stringify([method, url.replace(/[?#].*$/s, ''), token, thumbprint]);
