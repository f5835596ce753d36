import { type Json, noContent, type Submission, toJson } from '@portico/core';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const submitting = async (outcome: Submission['outcome'], claim: Json) => {
  const submit = () => okAsync({ outcome, claim });
  const portal = await servePortal({ ports: { claims: { submit } } });
  return portal.ask('POST', '/me/claims', { body: '{"type":"dental"}' });
};

describe('a claim that was filed', () => {
  it('is a 201 that says where it is', async () => {
    const answer = await submitting('created', { text: '{ "locator":"CLM:9" }', value: { locator: 'CLM:9' } });
    expect([answer.status, answer.headers['location'], answer.text]).toEqual([
      201,
      '/me/claims/CLM:9',
      '{ "locator":"CLM:9" }',
    ]);
  });

  it('can be read where it says', async () => {
    const portal = await servePortal();
    const filed = await portal.ask('POST', '/me/claims', { body: '{"type":"dental"}' });
    const read = await portal.ask('GET', String(filed.headers['location']));
    expect(read.json).toEqual({ type: 'dental', locator: 'CLM-NEW-1', status: 'received' });
  });

  it.each([{}, { locator: 7 }, { locator: '../1' }, { locator: 'a\r\nSet-Cookie: b' }, { id: 'CLM-1' }, []])(
    'does not say where it is when the answer has no valid locator: %j',
    async (claim) => {
      const answer = await submitting('created', toJson(claim));
      expect(answer.status).toBe(201);
      expect(answer.headers).not.toHaveProperty('location');
    },
  );
});

describe('a claim that was taken in to be filed later', () => {
  it('stays a 202', async () => {
    const answer = await submitting('accepted', toJson({ locator: 'CLM-9' }));
    expect([answer.status, answer.headers['location']]).toEqual([202, '/me/claims/CLM-9']);
  });
});

describe('a claims system that says nothing', () => {
  it.each(['created', 'accepted'] as const)('makes a 204 of a claim %s', async (outcome) => {
    const answer = await submitting(outcome, noContent);
    expect([answer.status, answer.text, answer.headers['location']]).toEqual([204, '', undefined]);
  });
});

describe('an idempotency key', () => {
  it('makes one claim of two submissions', async () => {
    const portal = await servePortal();
    const wish = { body: '{"type":"dental"}', headers: { 'idempotency-key': 'b9a4c0de' } };
    const first = await portal.ask('POST', '/me/claims', wish);
    const second = await portal.ask('POST', '/me/claims', wish);
    expect(second.text).toBe(first.text);
    expect((await portal.ask('POST', '/me/claims', { body: wish.body })).text).not.toBe(first.text);
  });

  it.each([[''], ['two words'], [['one', 'two']], ['x'.repeat(256)], ['clé']])(
    'is refused when it is %j',
    async (key) => {
      const portal = await servePortal();
      const answer = await portal.ask('POST', '/me/claims', { body: '{"a":1}', headers: { 'idempotency-key': key } });
      expect(problemIn(answer)).toMatchObject({ status: 400, errors: [{ path: '/Idempotency-Key' }] });
      expect(portal.asked).toEqual([]);
    },
  );
});
