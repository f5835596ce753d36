import { errAsync, okAsync } from 'neverthrow';
import { unsafeInEveryPort } from '../../contract/unsafe-adapters.test.support.ts';
import { later } from '../../contract/unsafe-operations.test.support.ts';
import { changing, testSuite } from '../../contract/suite-test.test.support.ts';
import { fakeClock } from '../../runtime/clock.fake.ts';
import { invalidProof } from '../../shared/failure.ts';
import { type ProofVerifierSubject, proofVerifierContract } from './proof-verifier.contract.ts';
import { fakeProofVerifier } from './proof-verifier.fake.ts';
import type { BoundProof, ProofVerifier } from './proof-verifier.port.ts';

const subject = (): ProofVerifierSubject => {
  const clock = fakeClock();
  const verifier = fakeProofVerifier(clock);
  const request = {
    method: 'GET',
    url: 'https://portal.example/me/claims',
    token: 'aaaa.bbbb.cccc',
    thumbprint: 'k'.repeat(43),
  };
  return { verifier, request, prove: verifier.prove, pass: async (seconds) => clock.advance(seconds * 1000) };
};

const withVerify = (change: (verify: ProofVerifier['verify']) => ProofVerifier['verify']) =>
  changing<'verifier', ProofVerifierSubject>('verifier')(({ verify }) => ({ verify: change(verify) }));

/** Checks another request than the one that was sent. */
const ignoring = (change: Partial<BoundProof>) => withVerify((verify) => (proof) => verify({ ...proof, ...change }));

/** Remembers only the last proofs. */
const forgetting = (most: number) =>
  withVerify((verify) => {
    const used: string[] = [];
    return (request) => {
      const { proof } = request;
      if (used.slice(-most).includes(proof)) return errAsync(invalidProof);
      return used.includes(proof) ? okAsync(undefined) : verify(request).andTee(() => used.push(proof));
    };
  });

/** Accepts some proofs without a check. */
const accepting = (lenient: (request: BoundProof) => boolean) =>
  withVerify((verify) => (request) => (lenient(request) ? okAsync(undefined) : verify(request)));

/** Accepts a proof again that it accepted before. */
const remembering = withVerify((verify) => {
  const accepted = new Set<string>();
  return (request) =>
    accepted.has(request.proof) ? okAsync(undefined) : verify(request).andTee(() => accepted.add(request.proof));
});

/** Accepts proofs of any age. */
const ignoringAge = (good: ProofVerifierSubject): ProofVerifierSubject => {
  const verifier = fakeProofVerifier();
  return { ...good, verifier, prove: verifier.prove };
};

/** Verifies a proof once for all calls that overlap. */
const inSingleFlight = withVerify((verify) => {
  const running = new Map<string, ReturnType<ProofVerifier['verify']>>();
  return (request) => {
    const verified =
      running.get(request.proof) ?? later(() => verify(request)).andTee(() => running.delete(request.proof));
    running.set(request.proof, verified);
    return verified;
  };
});

testSuite<ProofVerifierSubject>('proof verifier', proofVerifierContract, subject, [
  ...unsafeInEveryPort<'verifier', ProofVerifierSubject>('verifier'),
  ['accepts a proof again that it accepted before', remembering, 'refuses a proof that was used before'],
  [
    'verifies a proof once for all calls that overlap',
    inSingleFlight,
    'accepts a proof only once when two requests use it at the same time',
  ],
  ['ignores the age of a proof', ignoringAge, 'refuses a proof that was created ten minutes ago'],
  ['accepts a request without a proof', accepting(({ proof }) => proof === ''), 'refuses an empty proof'],
  ['accepts every proof', accepting(() => true), 'refuses a proof for another method'],
  [
    'ignores the host',
    withVerify(
      (verify) => (request) => verify({ ...request, url: request.url.replace(/\/\/[^/]+/, '//portal.example') }),
    ),
    'refuses a proof for another host',
  ],
  [
    'ignores the scheme',
    withVerify((verify) => (request) => verify({ ...request, url: request.url.replace('http:', 'https:') })),
    'refuses a proof for another scheme',
  ],
  [
    'compares the beginning of the token',
    withVerify((verify) => (request) => verify({ ...request, token: request.token.slice(0, 14) })),
    'refuses a proof for another token',
  ],
  ['refuses every proof', withVerify(() => () => errAsync(invalidProof)), 'accepts a valid proof'],
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
