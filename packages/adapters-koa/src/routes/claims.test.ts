import { type Json, noContent, type Submission, toJson } from '@portico/core';
import { okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { problemIn, servePortal } from '../server/portal.test.support.ts';

const submit = async (outcome: Submission['outcome'], claim: Json) => {
  const portal = await servePortal({ ports: { claims: { submit: () => okAsync({ outcome, claim }) } } });
  return portal.request('POST', '/me/claims', { body: '{"type":"dental"}' });
};

describe('created claim', () => {
  it('returns 201 with Location for a created claim', async () => {
    const response = await submit('created', { text: '{ "locator":"CLM:9" }', value: { locator: 'CLM:9' } });
    expect([response.status, response.headers['location'], response.text]).toEqual([
      201,
      '/me/claims/CLM:9',
      '{ "locator":"CLM:9" }',
    ]);
  });

  it('serves a created claim at its Location', async () => {
    const portal = await servePortal();
    const created = await portal.request('POST', '/me/claims', { body: '{"type":"dental"}' });
    const read = await portal.request('GET', String(created.headers['location']));
    expect(read.json).toEqual({ type: 'dental', locator: 'CLM-NEW-1', status: 'received' });
  });

  it.each([{}, { locator: 7 }, { locator: '../1' }, { locator: 'a\r\nSet-Cookie: b' }, { id: 'CLM-1' }, []])(
    'omits Location without a valid locator: %j',
    async (claim) => {
      const response = await submit('created', toJson(claim));
      expect(response.status).toBe(201);
      expect(response.headers).not.toHaveProperty('location');
    },
  );
});

describe('accepted claim', () => {
  it('returns 202 with Location for an accepted claim', async () => {
    const response = await submit('accepted', toJson({ locator: 'CLM-9' }));
    expect([response.status, response.headers['location']]).toEqual([202, '/me/claims/CLM-9']);
  });
});

describe('claims system without content', () => {
  it.each(['created', 'accepted'] as const)('returns 204 for a claim that was %s without content', async (outcome) => {
    const response = await submit(outcome, noContent);
    expect([response.status, response.text, response.headers['location']]).toEqual([204, '', undefined]);
  });
});

describe('Idempotency-Key', () => {
  it('creates one claim for two submissions with the same Idempotency-Key', async () => {
    const portal = await servePortal();
    const options = { body: '{"type":"dental"}', headers: { 'idempotency-key': 'b9a4c0de' } };
    const first = await portal.request('POST', '/me/claims', options);
    const second = await portal.request('POST', '/me/claims', options);
    expect(second.text).toBe(first.text);
    expect((await portal.request('POST', '/me/claims', { body: options.body })).text).not.toBe(first.text);
  });

  it.each([[''], ['two words'], [['one', 'two']], ['x'.repeat(256)], ['clé']])(
    'rejects an invalid Idempotency-Key with 400: %j',
    async (key) => {
      const portal = await servePortal();
      const response = await portal.request('POST', '/me/claims', {
        body: '{"a":1}',
        headers: { 'idempotency-key': key },
      });
      expect(problemIn(response)).toMatchObject({ status: 400, errors: [{ path: '/Idempotency-Key' }] });
      expect(portal.calls).toEqual([]);
    },
  );
});
