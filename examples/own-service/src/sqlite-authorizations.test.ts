import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { porticoClient } from '@portico/client';
import { ownService, toJson, upstream } from '@portico/core';
import { aMember, fakePorts, serviceContract } from '@portico/core/testing';
import { err } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { memberApi } from './server.ts';
import { authorizations, sqliteAuthorizations } from './sqlite-authorizations.ts';

const body = toJson({ type: 'mri' });

/** The contract suite of the declaration, with a new adapter for each test. */
serviceContract(authorizations)({ describe, it }, async () => {
  const service = sqliteAuthorizations(new DatabaseSync(':memory:'));
  const member = aMember('PTY-1');
  const submitted = await ownService(authorizations, service).useCases.submit(member, { body });
  const locator = submitted.map(({ value }) => (value as { readonly locator: string }).locator).unwrapOr('none');
  const requests = { list: {}, get: { parameters: { locator } }, submit: { body } };
  return { service, member, other: aMember('PTY-2'), requests };
});

it('the SQLite adapter returns an upstream failure when the database fails', async () => {
  const database = new DatabaseSync(':memory:');
  const { list } = ownService(authorizations, sqliteAuthorizations(database)).useCases;
  database.close();
  expect(await list(aMember('PTY-1'))).toEqual(err(upstream('authorizations', 'unreachable')));
});

it('the member API serves the routes, the failures and the OpenAPI document of the declaration', async () => {
  const ports = fakePorts();
  const server = memberApi(ports, new DatabaseSync(':memory:')).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { submit, list, get } = porticoClient({ url, token: ports.identity.issue({ sub: 'PTY-1' }) }).service(
    authorizations,
  );

  expect(await submit({ body })).toMatchObject({ value: { status: 201, value: { type: 'mri', status: 'open' } } });
  expect(await list({ query: { status: 'open' } })).toMatchObject({
    value: { value: { authorizations: [{ type: 'mri' }] } },
  });
  expect(await list({ query: { status: 'approved' } })).toMatchObject({ value: { value: { authorizations: [] } } });
  expect(await get({ parameters: { locator: 'AUTH-0' } })).toMatchObject({ error: { kind: 'not-found' } });
  expect(await (await fetch(`${url}/openapi.json`)).text()).toContain('Read a prior authorization');
});
