import { equal, failsAs, succeeds } from '../../contract/assertions.ts';
import { contractSuite } from '../../contract/contract-suite.ts';
import type { BoundProof, ProofVerifier } from './proof-verifier.port.ts';

type Request = Omit<BoundProof, 'proof'>;

export interface ProofVerifierSubject {
  readonly verifier: ProofVerifier;
  /** A request without a proof, and a key that its token is bound to. */
  readonly request: Request;
  /** Creates a new, valid proof for this request, with the key of `request`. */
  readonly prove: (request: Request) => string | Promise<string>;
  /** Lets this many seconds pass. If it is absent, the age of proofs is not tested. */
  readonly pass?: (seconds: number) => Promise<void>;
}

/** No window for the age of proofs is longer (RFC 9449, section 11.1: seconds or minutes). */
const tooOldSeconds = 600;

/** Checks that a proof for `request` is refused for another request. */
const refusesFor = async ({ verifier, request, prove }: ProofVerifierSubject, change: Partial<Request>) => {
  const proof = await prove(request);
  await failsAs('unauthenticated', verifier.verify({ ...request, ...change, proof }));
  await succeeds(verifier.verify({ ...request, proof: await prove(request) }));
};

export const proofVerifierContract = contractSuite<ProofVerifierSubject>('proof verifier', {
  'accepts a valid proof': async ({ verifier, request, prove }) => {
    await succeeds(verifier.verify({ ...request, proof: await prove(request) }));
  },
  'refuses a proof that was used before': async ({ verifier, request, prove }) => {
    const proof = await prove(request);
    await succeeds(verifier.verify({ ...request, proof }));
    await failsAs('unauthenticated', verifier.verify({ ...request, proof }));
  },
  'refuses a proof that was used before other ones': async ({ verifier, request, prove }) => {
    const proof = await prove(request);
    await succeeds(verifier.verify({ ...request, proof }));
    for (let others = 0; others < 20; others++)
      await succeeds(verifier.verify({ ...request, proof: await prove(request) }));
    await failsAs('unauthenticated', verifier.verify({ ...request, proof }));
  },
  'refuses a proof that was created ten minutes ago': async ({ verifier, request, prove, pass }) => {
    if (!pass) return;
    const [used, unused] = [await prove(request), await prove(request)];
    await succeeds(verifier.verify({ ...request, proof: used }));
    await pass(tooOldSeconds);
    for (const proof of [unused, used]) await failsAs('unauthenticated', verifier.verify({ ...request, proof }));
  },
  'accepts a proof only once when two requests use it at the same time': async ({ verifier, request, prove }) => {
    const proof = await prove(request);
    const results = await Promise.all([1, 2, 3].map(() => verifier.verify({ ...request, proof })));
    equal(results.filter((result) => result.isOk()).length, 1, 'the number of accepted requests');
  },
  'refuses an empty proof': async ({ verifier, request }) => {
    await failsAs('unauthenticated', verifier.verify({ ...request, proof: '' }));
  },
  'refuses a proof for another method': (subject) => refusesFor(subject, { method: 'DELETE' }),
  'refuses a proof for another path': (subject) => refusesFor(subject, { url: `${subject.request.url}/other` }),
  'refuses a proof for another host': (subject) =>
    refusesFor(subject, { url: subject.request.url.replace(/\/\/[^/]+/, '//other.example') }),
  'refuses a proof for another scheme': (subject) =>
    refusesFor(subject, {
      url: subject.request.url.replace(/^https?/, (scheme) => (scheme === 'https' ? 'http' : 'https')),
    }),
  'refuses a proof for another token': (subject) => refusesFor(subject, { token: `${subject.request.token}x` }),
  'refuses a proof with another key than that of the token': (subject) =>
    refusesFor(subject, { thumbprint: 'A'.repeat(43) }),
});
