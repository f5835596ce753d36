import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound } from '../shared/failure.ts';
import { type Json, toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { consentContract } from './consent.contract.ts';
import { fakeConsent } from './consent.fake.ts';
import type { Consent } from './consent.port.ts';
import { getConsent, putConsent } from './consent.ts';

const member = aMember('PTY-1');
const records = () => fakeConsent({ 'PTY-1': { research: true }, 'PTY-2': { research: false } });

consentContract({ describe, it }, () => ({
  consent: records(),
  member,
  other: aMember('PTY-2'),
  unknown: aMember('PTY-3'),
}));

/** A consent system that answers with what it was sent. */
const echo: Consent = { ...fakeConsent(), replace: (_, consent) => okAsync(consent) };
const sent = (body: Json) => putConsent(echo)(member, body);

describe('consent', () => {
  it('is what the member agreed to', async () => {
    expect(await getConsent(records())(member)).toMatchObject({ value: toJson({ research: true }) });
  });

  it('is replaced as a whole', async () => {
    const consent = records();
    await putConsent(consent)(member, toJson({ marketing: false }));
    expect(await getConsent(consent)(member)).toMatchObject({ value: toJson({ marketing: false }) });
  });

  it('may be any non-empty object, passed on as it was written', async () => {
    const body = { text: '{"z": 1.50 ,"a":null}', value: { z: 1.5, a: null } };
    expect(await sent(body)).toEqual(ok(body));
  });

  it('cannot be given for somebody else', async () => {
    const body = toJson({ 'x-party-locator': 'PTY-2', research: true });
    expect(await sent(body)).toEqual(ok(toJson({ research: true })));
  });

  it.each([{}, [], null, 'yes', true, { partyLocator: 'PTY-2' }])('is not %j', async (value) => {
    expect(await sent(toJson(value))).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '' }] } });
  });

  it('is replaced under its entity tag once', async () => {
    const consent = records();
    const etag = (await getConsent(consent)(member)).map((read) => read.etag).unwrapOr(undefined);
    const put = (state: object) => putConsent(consent)(member, toJson(state), etag);
    expect(etag).toMatch(/^"/);
    expect(await put({ research: false })).toMatchObject({ value: { value: { research: false } } });
    expect(await put({ research: true })).toEqual(err({ kind: 'precondition-failed', service: 'consent' }));
  });

  it('is replaced under * when there is any', async () => {
    expect(await putConsent(records())(member, toJson({ research: false }), '*')).toMatchObject({ value: {} });
  });

  it.each(['', 'x', '"a', 'W/"a" "b"', '"a",', '"\u00e4"'])('is not replaced under %j', async (ifMatch) => {
    expect(await putConsent(records())(member, toJson({ research: false }), ifMatch)).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/If-Match' }] },
    });
  });

  it('is not found for a member the consent system does not know', async () => {
    expect(await getConsent(records())(aMember('PTY-3'))).toEqual(err(notFound('consent')));
  });
});
