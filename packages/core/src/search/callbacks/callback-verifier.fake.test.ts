import { err, ok } from 'neverthrow';
import { expect, it } from 'vitest';
import { unauthenticated, upstream } from '../../shared/failure.ts';
import { fakeCallbackVerifier } from './callback-verifier.fake.ts';

const body = new Uint8Array();

it('the fake callback verifier accepts the name of the signer as signature, and fails on demand', async () => {
  const verifier = fakeCallbackVerifier();
  expect(await verifier.verify('bpp.example.org', body)).toEqual(ok({ subscriberId: 'bpp.example.org' }));
  expect(await verifier.verify('forged', body)).toEqual(err(unauthenticated('invalid')));
  expect(await verifier.verify(undefined, body)).toEqual(err(unauthenticated('missing')));
  verifier.failWith(upstream('registry', 'timeout'));
  expect(await verifier.verify('bpp.example.org', body)).toEqual(err(upstream('registry', 'timeout')));
});
