import { err, ok } from 'neverthrow';
import { fakeClock } from '../../runtime/clock.fake.ts';
import type { Clock } from '../../runtime/clock.port.ts';
import { invalidProof } from '../../shared/failure.ts';
import { type Fails, failOnDemand } from '../../shared/fake.ts';
import type { BoundProof, ProofVerifier } from './proof-verifier.port.ts';

export interface FakeProofVerifier extends ProofVerifier, Fails {
  /** Creates a proof that `verify` accepts once within a minute, for exactly this request, token and key. */
  prove(proof: Omit<BoundProof, 'proof'>): string;
}

export const fakeProofVerifier = (clock: Clock = fakeClock()): FakeProofVerifier => {
  const { respond, ...failing } = failOnDemand();
  const proofs = new Map<string, { readonly content: string; readonly createdAtMs: number }>();
  let created = 0;
  return {
    ...failing,
    prove: (request) => {
      const proof = `fake.${++created}.proof`;
      proofs.set(proof, { content: contentOf(request), createdAtMs: clock.now() });
      return proof;
    },
    verify: (request) =>
      respond(() => {
        const created = proofs.get(request.proof);
        if (created?.content !== contentOf(request) || clock.now() - created.createdAtMs > 60_000)
          return err(invalidProof);
        proofs.delete(request.proof);
        return ok(undefined);
      }),
  };
};

/** What a proof is for. Its URL has no query. */
const contentOf = ({ method, url, token, thumbprint }: Omit<BoundProof, 'proof'>): string =>
  JSON.stringify([method, url.replace(/[?#].*$/s, ''), token, thumbprint]);
