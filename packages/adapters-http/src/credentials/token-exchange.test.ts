import { type DocumentLocator, refusedToken, upstream, upstreamStatus } from '@portico/core';
import { aMember, credentialsContract } from '@portico/core/testing';
import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { httpDocuments } from '../downstreams/documents.ts';
import { contractRunner, httpServer, sendJson } from '../http/local-servers.test.support.ts';
import { tokenExchange } from './token-exchange.ts';
import { failingOnce, formOf, issue, type Reply, tokenEndpoint } from './token-endpoint.test.support.ts';

const one = aMember('PTY-1', 'token.of.one');
const again = aMember('PTY-1', 'newer.token.of.one');
const other = aMember('PTY-2', 'token.of.other');

/** Issues a token that names the member's token it was exchanged for. */
const issueFor: Reply = (response, form) =>
  sendJson(response, {
    access_token: `for:${form.get('subject_token')}`,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 300,
  });

credentialsContract(contractRunner, async () => {
  const { reply, failNext } = failingOnce(issueFor);
  const { tokens, clock } = await tokenEndpoint(reply);
  return {
    credentials: tokenExchange(tokens),
    members: [one, other],
    again,
    ownerOf: ({ authorization }) =>
      [one, again, other].find(({ token }) => authorization === `Bearer for:${token}`)?.locator,
    failNext,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

const header = (token: string) => ok({ authorization: `Bearer ${token}` });

describe('a token exchange', () => {
  it("sends the member's token as the subject token, and the target of the service", async () => {
    const { tokens, server } = await tokenEndpoint();
    const target = { audience: 'claims', resource: 'https://claims.internal', scope: 'claims:read claims:write' };
    expect(await tokenExchange(tokens, target).for(one)).toEqual(header('issued-1'));
    expect(server.requests.map(formOf)).toEqual([
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: 'token.of.one',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        ...target,
      },
    ]);
  });

  it('happens again for a new token of the same member', async () => {
    const { tokens } = await tokenEndpoint(issueFor);
    const credentials = tokenExchange(tokens);
    expect(await credentials.for(one)).toEqual(header('for:token.of.one'));
    expect(await credentials.for(again)).toEqual(header('for:newer.token.of.one'));
  });

  it('happens for each service on its own', async () => {
    const { tokens, server } = await tokenEndpoint();
    await tokenExchange(tokens, { audience: 'claims' }).for(one);
    await tokenExchange(tokens, { audience: 'policy' }).for(one);
    expect(server.requests.map((request) => formOf(request)['audience'])).toEqual(['claims', 'policy']);
  });

  it('is kept without a promise until 30 seconds before the token expires', async () => {
    const { tokens, clock, server } = await tokenEndpoint();
    const credentials = tokenExchange(tokens);
    await credentials.for(one);
    clock.advance(269_999);
    expect(credentials.for(one)).toEqual(header('issued-1'));
    clock.advance(1);
    expect(await credentials.for(one)).toEqual(header('issued-2'));
    expect(server.requests.length).toBe(2);
  });
});

describe('a member with several requests', () => {
  it('receives the other responses when the first request, which started the exchange, is cancelled', async () => {
    const issued = Promise.withResolvers<void>();
    const endpoint = await tokenEndpoint(async (response, form, nth) => {
      await issued.promise;
      issue(response, form, nth);
    });
    const service = await httpServer((response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"of":"one"}'),
    );
    const credentials = tokenExchange(endpoint.tokens);
    const cancel = new AbortController();
    const documents = httpDocuments({ url: service.url, credentials });
    const first = documents.get(one, 'DOC-1' as DocumentLocator, {}, cancel.signal);
    await endpoint.server.until(() => endpoint.server.requests.length === 1);
    const others = [documents.list(one, []), documents.list(one, [])];
    cancel.abort();
    expect(await first).toEqual(err(upstream('identity', 'unreachable')));
    issued.resolve();
    for (const other of await Promise.all(others)) expect(other.isOk()).toBe(true);
    expect([endpoint.server.requests.length, service.requests.length]).toEqual([1, 2]);
  });
});

describe('a token exchange that fails', () => {
  it("is the member's failure when the provider refuses the member's token", async () => {
    const { tokens, server, clock } = await tokenEndpoint((response, _form, nth) =>
      nth === 1 ? sendJson(response, { error: 'invalid_grant' }, 400) : issue(response, new URLSearchParams(), nth),
    );
    const credentials = tokenExchange(tokens);
    expect(await credentials.for(one)).toEqual(err(refusedToken('exchange')));
    expect(await credentials.for(one)).toEqual(err(refusedToken('exchange')));
    expect(await credentials.for(other)).toEqual(header('issued-2'));
    expect(server.requests.length).toBe(2);
    clock.advance(1000);
    expect(await credentials.for(one)).toEqual(header('issued-3'));
  });

  it('is a failure of the identity provider when it refuses anything else', async () => {
    const { tokens } = await tokenEndpoint((response) => sendJson(response, { error: 'invalid_client' }, 401));
    expect(await tokenExchange(tokens).for(one)).toEqual(err(upstreamStatus('identity', 401)));
  });

  it('sends one request per member while the provider is slow, then none until the breaker closes', async () => {
    const { tokens, clock, server } = await tokenEndpoint(() => {}, {
      timeoutMs: 5000,
      breakAfterFailures: 2,
      breakForMs: 5000,
    });
    const credentials = tokenExchange(tokens);
    const timeout = err(upstream('identity', 'timeout'));
    for (const round of [1, 2]) {
      const calls = Array.from({ length: 20 }, async () => credentials.for(one));
      await server.until(() => server.requests.length === round);
      clock.advance(5000);
      expect(await Promise.all(calls)).toEqual(calls.map(() => timeout));
      clock.advance(1000);
    }
    const members = Array.from({ length: 20 }, (_, nth) => aMember(`PTY-${nth}`, `token.of.${nth}`));
    const calls = await Promise.all(members.map(async (member) => credentials.for(member)));
    expect(calls).toEqual(calls.map(() => err(upstream('identity', 'circuit-open'))));
    expect(server.requests.length).toBe(2);
  });
});
