import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Claims, type Failure, notFound, toJson, upstream } from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';

const tables = `create table if not exists claims
  (locator text primary key, member text not null, key text, body text not null, unique (member, key)) strict`;

/** The claims port on a SQLite table, instead of a service over HTTP. */
export const sqliteClaims = (database: DatabaseSync): Claims => {
  database.exec(tables);
  const all = database.prepare('select body from claims where member = ? order by rowid desc');
  const one = database.prepare('select body from claims where member = ? and locator = ?');
  const byKey = database.prepare('select body from claims where member = ? and key = ?');
  const add = database.prepare('insert into claims (locator, member, key, body) values (?, ?, ?, ?)');
  return {
    list: (member, query) =>
      toResult(() => {
        const status = query.find(([name]) => name === 'status')?.[1];
        const claims = all.all(member.locator).map(claimIn);
        return ok(toJson({ claims: claims.filter((claim) => status === undefined || claim.status === status) }));
      }),
    get: (member, locator) =>
      toResult(() => {
        const row = one.get(member.locator, locator);
        return row ? ok(toJson(claimIn(row))) : err(notFound('claims'));
      }),
    submit: (member, { value, idempotencyKey = null }) =>
      toResult(() => {
        const known = idempotencyKey === null ? undefined : byKey.get(member.locator, idempotencyKey);
        if (known) return ok({ outcome: 'created', claim: toJson(claimIn(known)) });
        const claim = { ...(value as object), locator: `CLM-${randomUUID()}`, status: 'received' };
        add.run(claim.locator, member.locator, idempotencyKey, JSON.stringify(claim));
        return ok({ outcome: 'created', claim: toJson(claim) });
      }),
  };
};

const claimIn = (row: object) => JSON.parse((row as { body: string }).body) as { status?: string };

/** Turns exceptions of the database into a failure: the member sees that claims are unavailable. */
const toResult = <T>(query: () => Result<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromThrowable(
    async () => query(),
    () => upstream('claims', 'unreachable'),
  )().andThen((result) => result);
