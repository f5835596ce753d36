import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { listClaims, submitClaim, toJson, upstream } from '@portico/core';
import { aMember, claimsContract } from '@portico/core/testing';
import { err } from 'neverthrow';
import { sqliteClaims } from './sqlite-claims.ts';

const member = aMember('PTY-1');

/** The contract suite of the port, with a new adapter for each test; it uses the functions of the test runner. */
claimsContract({ describe, it }, async () => {
  const database = new DatabaseSync(':memory:');
  const claims = sqliteClaims(database);
  const filed = await submitClaim(claims)(member, toJson({ type: 'dental' }));
  const claim = filed.map(({ locator }) => locator).unwrapOr(undefined);
  assert.ok(claim);
  return {
    claims,
    member,
    claim,
    other: aMember('PTY-2'),
    unknown: aMember('PTY-3'),
    unmatched: [['status', 'denied']],
    [Symbol.asyncDispose]: async () => database.close(),
  };
});

describe('sqliteClaims', () => {
  it('lists claims by status', async () => {
    const claims = sqliteClaims(new DatabaseSync(':memory:'));
    await submitClaim(claims)(member, toJson({ type: 'dental' }));
    const countOf = async (status: string) =>
      (await listClaims(claims)(member, [['status', status]])).match(
        ({ value }) => (value as { readonly claims: readonly unknown[] }).claims.length,
        ({ kind }) => kind,
      );
    assert.deepEqual([await countOf('received'), await countOf('paid')], [1, 0]);
  });

  it('returns an upstream failure when the database fails', async () => {
    const database = new DatabaseSync(':memory:');
    const claims = sqliteClaims(database);
    database.close();
    assert.deepEqual(await listClaims(claims)(member, []), err(upstream('claims', 'unreachable')));
  });
});
