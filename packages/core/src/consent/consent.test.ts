import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { notFound } from '../shared/failure.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeConsent } from './consent.fake.ts';
import type { Consent } from './consent.port.ts';
import { getConsent, putConsent } from './consent.ts';

const member = aMember('PTY-1');
const records = () => fakeConsent({ 'PTY-1': { research: true }, 'PTY-2': { research: false } });

/** A consent system that returns the state it receives. */
const echo: Consent = { ...fakeConsent(), replace: (_, consent) => okAsync(consent) };
const sent = (body: Json) => putConsent(echo)(member, body);

describe('the consent state', () => {
  it("returns the member's consent state", async () => {
    expect(await getConsent(records())(member)).toMatchObject({ value: toJson({ research: true }) });
  });

  it('replaces the whole state', async () => {
    const consent = records();
    await putConsent(consent)(member, toJson({ marketing: false }));
    expect(await getConsent(consent)(member)).toMatchObject({ value: toJson({ marketing: false }) });
  });

  it('returns the bytes that were stored', async () => {
    const consent = records();
    const text = '{ "id": 12345678901234567890, "x": 1.0 }';
    await putConsent(consent)(member, { text, value: JSON.parse(text) });
    expect(await getConsent(consent)(member)).toMatchObject({ value: { text } });
  });

  it('accepts any non-empty object and relays it unchanged', async () => {
    const body = { text: '{"z": 1.50 ,"a":null}', value: { z: 1.5, a: null } };
    expect(await sent(body)).toEqual(ok(body));
  });

  it('removes a field that names a member', async () => {
    const body = toJson({ 'x-party-locator': 'PTY-2', research: true });
    expect(await sent(body)).toEqual(ok(toJson({ research: true })));
  });

  it.each([{}, [], null, 'yes', true, { partyLocator: 'PTY-2' }])('rejects %j', async (value) => {
    expect(await sent(toJson(value))).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '' }] } });
  });

  it('accepts an entity tag once, and rejects it when outdated', async () => {
    const consent = records();
    const etag = (await getConsent(consent)(member)).map((read) => read.etag).unwrapOr(undefined);
    const put = (state: object) => putConsent(consent)(member, toJson(state), etag);
    expect(etag).toMatch(/^"/);
    expect(await put({ research: false })).toMatchObject({ value: { value: { research: false } } });
    expect(await put({ research: true })).toEqual(err({ kind: 'precondition-failed', service: 'consent' }));
  });

  it('accepts If-Match: * when there is a consent state', async () => {
    expect(await putConsent(records())(member, toJson({ research: false }), '*')).toMatchObject({ value: {} });
  });

  it.each(['', 'x', '"a', 'W/"a" "b"', '"a",', '"\u00e4"'])('rejects the If-Match header %j', async (ifMatch) => {
    expect(await putConsent(records())(member, toJson({ research: false }), ifMatch)).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/If-Match' }] },
    });
  });

  it('fails not-found for an unknown member', async () => {
    expect(await getConsent(records())(aMember('PTY-3'))).toEqual(err(notFound('consent')));
  });
});
