import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { succeeds } from '../contract/assertions.ts';
import { notFound, upstream } from '../shared/failure.ts';
import type { ListQuery } from '../shared/list-query.ts';
import { type Json, noContent, toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { fakeClaims } from './claims.fake.ts';
import type { ClaimDraft, Claims, Submission } from './claims.port.ts';
import { getClaim, listClaims, submitClaim } from './claims.ts';

const member = aMember('PTY-1');
const other = aMember('PTY-2');
const records = () =>
  fakeClaims({
    'PTY-1': [
      { locator: 'CLM-1', status: 'paid' },
      { locator: 'CLM-2', status: 'open' },
      { locator: 'CLM-3', status: 'open' },
    ],
    'PTY-2': [],
  });

describe('listClaims', () => {
  it("returns the member's own claims", async () => {
    expect(await listClaims(records())(other, [])).toEqual(ok(toJson({ claims: [] })));
  });

  it("returns all of the member's claims without a query", async () => {
    const { value } = await succeeds(listClaims(records())(member));
    expect(value).toMatchObject({ claims: [{ locator: 'CLM-1' }, { locator: 'CLM-2' }, { locator: 'CLM-3' }] });
  });

  it('relays the query parameters', async () => {
    const query = [
      ['status', 'open'],
      ['offset', '1'],
      ['limit', '1'],
    ] as const;
    expect(await listClaims(records())(member, query)).toEqual(
      ok(toJson({ claims: [{ locator: 'CLM-3', status: 'open' }] })),
    );
  });

  it.each<[ListQuery, readonly string[]]>([
    [
      [
        ['page', '1'],
        ['pageSize', '2'],
      ],
      ['CLM-1', 'CLM-2'],
    ],
    [
      [
        ['page', '2'],
        ['limit', '2'],
      ],
      ['CLM-3'],
    ],
    [[['page', '2']], []],
    [
      [
        ['offset', '2'],
        ['page', '9'],
        ['limit', '2'],
      ],
      ['CLM-3'],
    ],
  ])('lists the page %j of the fake', async (query, locators) => {
    const { value } = await succeeds(listClaims(records())(member, query));
    expect(value).toEqual({ claims: locators.map((locator) => expect.objectContaining({ locator })) });
  });

  it('rejects a parameter that names a member', async () => {
    expect(await listClaims(records())(member, [['partyLocator', 'PTY-2']])).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/partyLocator' }] },
    });
  });
});

describe('getClaim', () => {
  it('returns the claim unchanged', async () => {
    expect(await getClaim(records())(member, 'CLM-1')).toEqual(ok(toJson({ locator: 'CLM-1', status: 'paid' })));
  });

  it('hides a claim that belongs to another member', async () => {
    expect(await getClaim(records())(other, 'CLM-1')).toEqual(err(notFound('claims')));
  });

  it.each(['', '..', 'CLM/1', 'x'.repeat(129)])('rejects the locator "%s"', async (locator) => {
    expect(await getClaim(records())(member, locator)).toMatchObject({
      error: { kind: 'invalid', errors: [{ path: '/locator' }] },
    });
  });

  it('fails when the claims system fails', async () => {
    const claims = records();
    claims.failWith(upstream('claims', 'timeout'));
    expect(await getClaim(claims)(member, 'CLM-1')).toEqual(err(upstream('claims', 'timeout')));
  });
});

/** A claims system that accepts a draft and returns the draft itself. */
const echo: Claims = {
  ...fakeClaims(),
  submit: (_, draft) => okAsync({ outcome: 'accepted', claim: draft }),
};

/** A claims system that returns this claim for every draft. */
const returning = (claim: Json): Claims => ({
  ...fakeClaims(),
  submit: () => okAsync({ outcome: 'created', claim }),
});

const draftSent = async (body: Json, key?: string) =>
  (await submitClaim(echo)(member, body, key)).map(({ claim }: Submission): ClaimDraft => claim);

describe('submitClaim', () => {
  it('files the claim and returns its locator', async () => {
    expect(await submitClaim(records())(member, toJson({ type: 'dental' }))).toEqual(
      ok({
        outcome: 'created',
        claim: toJson({ type: 'dental', locator: 'CLM-NEW-1', status: 'received' }),
        locator: 'CLM-NEW-1',
      }),
    );
  });

  it('reports a claim that was accepted but not yet filed', async () => {
    expect(await submitClaim(echo)(member, toJson({ type: 'dental' }))).toMatchObject({
      value: { outcome: 'accepted' },
    });
  });

  it.each([
    toJson({ locator: '../1' }),
    toJson({ locator: 7 }),
    toJson({ locator: null }),
    toJson({ id: 'CLM-1' }),
    toJson([{ locator: 'CLM-1' }]),
    toJson(null),
    noContent,
  ])('returns no locator when the response has no valid one: $text', async (claim) => {
    expect(await submitClaim(returning(claim))(member, toJson({ a: 1 }))).toEqual(ok({ outcome: 'created', claim }));
  });

  it('relays any non-empty object unchanged', async () => {
    const body = { text: '{ "b":1.0, "a":{"unknown":[]} }', value: { b: 1, a: { unknown: [] } } };
    expect(await draftSent(body)).toEqual(ok(body));
  });

  it('removes a field that names a member', async () => {
    expect(await draftSent(toJson({ partyLocator: 'PTY-2', amount: 1 }))).toEqual(ok(toJson({ amount: 1 })));
  });

  it.each([{}, [], null, 'text', 1, { partyLocator: 'PTY-2' }])('rejects %j', async (value) => {
    expect(await draftSent(toJson(value))).toMatchObject({ error: { kind: 'invalid', errors: [{ path: '' }] } });
  });

  it('relays no idempotency key when there is none', async () => {
    expect(await draftSent(toJson({ a: 1 }))).toStrictEqual(ok(toJson({ a: 1 })));
  });

  it.each(['k', 'b9a4c0de-0000-4000-8000-000000000000', '!~', 'x'.repeat(255)])(
    'relays the idempotency key %s',
    async (key) => {
      expect(await draftSent(toJson({ a: 1 }), key)).toEqual(ok({ ...toJson({ a: 1 }), idempotencyKey: key }));
    },
  );

  it.each(['', 'x'.repeat(256), 'two words', 'one, two', 'line\nbreak', 'clé'])(
    'rejects the idempotency key "%s"',
    async (key) => {
      expect(await draftSent(toJson({ a: 1 }), key)).toEqual(
        err({
          kind: 'invalid',
          detail: 'The Idempotency-Key header is not valid.',
          errors: [{ path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters without spaces' }],
        }),
      );
    },
  );

  it('files one claim for each of two members with the same idempotency key', async () => {
    const claims = records();
    const first = await submitClaim(claims)(member, toJson({ a: 1 }), 'key');
    const second = await submitClaim(claims)(other, toJson({ a: 1 }), 'key');
    expect([first, second]).toMatchObject([{ value: { locator: 'CLM-NEW-1' } }, { value: { locator: 'CLM-NEW-2' } }]);
  });
});
