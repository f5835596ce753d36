import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { invalid, notFound } from '../shared/failure.ts';
import { type Json, toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakePolicy } from './policy.fake.ts';
import type { Policy, ProfilePatch } from './policy.port.ts';
import { getProfile, patchProfile } from './policy.ts';

const member = aMember('PTY-1');
const unknown = aMember('PTY-3');
const records = () =>
  fakePolicy({
    'PTY-1': { city: 'Springfield', phone: { home: '1', work: '2' } },
    'PTY-2': { city: 'Shelbyville' },
  });

/** A policy administration system that returns the patch it receives. */
const echo: Policy = { ...fakePolicy(), patchProfile: (_, patch) => okAsync(patch) };
const sent = (body: Json, mediaType?: ProfilePatch['mediaType']) => patchProfile(echo)(member, body, mediaType);

const unchangeable = (...names: readonly string[]) =>
  err(
    invalid(
      'The locator of a party cannot be changed.',
      ...names.map((name) => ({ path: `/${name}`, message: 'cannot be changed' })),
    ),
  );

describe('getProfile', () => {
  it("returns the member's party details", async () => {
    expect(await getProfile(records())(aMember('PTY-2'))).toMatchObject({ value: toJson({ city: 'Shelbyville' }) });
  });

  it('fails not-found for an unknown member', async () => {
    expect(await getProfile(records())(unknown)).toEqual(err(notFound('policy')));
  });

  it('keeps fields that a patch omits and removes fields that it sets to null', async () => {
    const policy = records();
    await patchProfile(policy)(member, toJson({ phone: { work: null, mobile: '3' } }));
    expect(await getProfile(policy)(member)).toMatchObject({
      value: toJson({ city: 'Springfield', phone: { home: '1', mobile: '3' } }),
    });
  });
});

describe('patchProfile', () => {
  it('changes nothing when If-Match names another version', async () => {
    const policy = records();
    expect(await patchProfile(policy)(member, toJson({ city: 'X' }), undefined, '"0", W/"1"')).toEqual(
      err({ kind: 'precondition-failed', service: 'policy' }),
    );
    expect(await getProfile(policy)(member)).toMatchObject({ value: { value: { city: 'Springfield' } } });
  });

  it('relays a patch unchanged, with its media type', async () => {
    const body = { text: '{"zip": 0.5e1}', value: { zip: 5 } };
    expect(await sent(body, 'application/json')).toEqual(ok({ ...body, mediaType: 'application/json' }));
    expect(await sent(body)).toEqual(ok({ ...body, mediaType: 'application/merge-patch+json' }));
  });

  it('rejects a patch that sets a locator to any value', async () => {
    expect(await sent(toJson({ partyLocator: 'PTY-2', city: 'X' }))).toEqual(unchangeable('partyLocator'));
    expect(await sent(toJson({ locator: null, city: 'X' }))).toEqual(unchangeable('locator'));
    expect(await sent(toJson({ locator: '1', partyLocator: '2' }))).toEqual(unchangeable('partyLocator', 'locator'));
  });

  it('accepts a patch with the locator of a nested object', async () => {
    const body = toJson({ address: { locator: 'ADR-1' } });
    expect(await sent(body)).toEqual(ok({ ...body, mediaType: 'application/merge-patch+json' }));
  });

  it('removes other spellings of the party locator and nested ones from a patch', async () => {
    const body = toJson({ Party_Locator: 'PTY-2', address: { partyLocator: 'PTY-2', city: 'X' } });
    expect(await sent(body)).toMatchObject({ value: { text: '{"address":{"city":"X"}}' } });
  });

  it.each([{}, [], null, 'text', 1])('rejects the patch %j', async (value) => {
    expect(await sent(toJson(value))).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '' }] } });
  });
});
