import { expect, it } from 'vitest';
import { fakeClock } from '../runtime/clock.fake.ts';
import { fakeIdentity } from './identity.fake.ts';

const clock = fakeClock();
const now = Math.floor(clock.now() / 1000);

it.each([
  ['the algorithm ES256', {}, { alg: 'ES256' }],
  ['the type application/at+jwt', {}, { typ: 'application/at+jwt' }],
  ['a type in capital letters', {}, { typ: 'AT+JWT' }],
  ['times within the tolerance of 5 s', { iat: now + 5, nbf: now + 5, exp: now + 300 }, {}],
])('a minted token with %s is accepted', async (_, claims, header) => {
  const identity = fakeIdentity({}, clock);
  expect((await identity.verify(identity.mint(claims, header))).isOk()).toBe(true);
});

it.each([
  ['a symmetric algorithm', {}, { alg: 'HS256' }],
  ['no algorithm', {}, { alg: 'none' }],
  ['the type of another token', {}, { typ: 'logout+jwt' }],
  ['an iat beyond the tolerance', { iat: now + 6 }, {}],
  ['an nbf beyond the tolerance', { nbf: now + 6 }, {}],
  ['an exp beyond the tolerance', { exp: now - 5 }, {}],
])('a minted token with %s is refused', async (_, claims, header) => {
  const identity = fakeIdentity({}, clock);
  expect((await identity.verify(identity.mint(claims, header))).isErr()).toBe(true);
});
