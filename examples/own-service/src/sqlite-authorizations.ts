import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { declareService, type Failure, notFound, type ServicePort, toJson, upstream } from '@portico/core';
import { err, ok, type Result, ResultAsync } from 'neverthrow';

export const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: '/members/{partyLocator}/authorizations', query: ['status'] },
  get: {
    route: 'GET /me/authorizations/{locator}',
    path: '/members/{partyLocator}/authorizations/{locator}',
    summary: 'Read a prior authorization',
  },
  submit: { route: 'POST /me/authorizations', path: '/members/{partyLocator}/authorizations' },
});

const table = `create table if not exists authorizations
  (locator text primary key, member text not null, key text, status text not null, body text not null, unique (member, key)) strict`;

/** Prior authorizations in a SQLite table, instead of a service over HTTP: the paths of the declaration are not used. */
export const sqliteAuthorizations = (database: DatabaseSync): ServicePort<typeof authorizations> => {
  database.exec(table);
  const all = database.prepare('select body from authorizations where member = ? and status = coalesce(?, status)');
  const one = database.prepare('select body from authorizations where member = ? and locator = ?');
  const byKey = database.prepare('select body from authorizations where member = ? and key = ?');
  const add = database.prepare('insert into authorizations values (?, ?, ?, ?, ?)');
  return {
    list: (member, { query }) =>
      toResult(() => {
        const [, status = null] = query.find(([name]) => name === 'status') ?? [];
        return ok(toJson({ authorizations: all.all(member.locator, status).map(bodyIn) }));
      }),
    get: (member, { parameters }) =>
      toResult(() => {
        const row = one.get(member.locator, parameters.locator);
        return row ? ok(toJson(bodyIn(row))) : err(notFound('authorizations'));
      }),
    submit: (member, { body, idempotencyKey = null }) =>
      toResult(() => {
        const known = idempotencyKey === null ? undefined : byKey.get(member.locator, idempotencyKey);
        if (known) return ok({ ...toJson(bodyIn(known)), status: 201 as const });
        const created = { ...(body.value as object), locator: `AUTH-${randomUUID()}`, status: 'open' };
        add.run(created.locator, member.locator, idempotencyKey, created.status, JSON.stringify(created));
        return ok({ ...toJson(created), status: 201 as const });
      }),
  };
};

const bodyIn = (row: object): unknown => JSON.parse((row as { body: string }).body);

/** Turns exceptions of the database into a failure: the member sees that authorizations are unavailable. */
const toResult = <T>(query: () => Result<T, Failure>): ResultAsync<T, Failure> =>
  ResultAsync.fromThrowable(
    async () => query(),
    () => upstream('authorizations', 'unreachable'),
  )().andThen((result) => result);
