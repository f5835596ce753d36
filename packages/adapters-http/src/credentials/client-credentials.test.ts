import { upstreamStatus } from '@portico/core';
import { aMember, credentialsContract, fakeClock } from '@portico/core/testing';
import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { clientCredentials } from './client-credentials.ts';
import { contractRunner, sendJson } from '../http/local-servers.test.support.ts';
import { failingOnce, formOf, issue, tokenEndpoint } from './token-endpoint.test.support.ts';

const members = [aMember('PTY-1', 'token.of.one'), aMember('PTY-2', 'token.of.other')] as const;

credentialsContract(contractRunner, async () => {
  const { reply, failNext } = failingOnce(issue);
  const { tokens, clock } = await tokenEndpoint(reply);
  return {
    credentials: clientCredentials(tokens),
    members,
    ownerOf: ({ authorization = '' }) => members.find(({ token }) => authorization.includes(token))?.locator,
    failNext,
    pass: async (seconds) => clock.advance(seconds * 1000),
  };
});

const header = (token: string) => ok({ authorization: `Bearer ${token}` });

describe('client credentials', () => {
  it('request a token without any member', async () => {
    const { tokens, server } = await tokenEndpoint();
    await clientCredentials(tokens, { scope: 'claims', audience: 'claims-api' }).for(members[0]);
    expect(server.requests.map(formOf)).toEqual([
      { grant_type: 'client_credentials', scope: 'claims', audience: 'claims-api' },
    ]);
  });

  it('are one token for concurrent first calls of all members', async () => {
    const { tokens, server } = await tokenEndpoint();
    const credentials = clientCredentials(tokens);
    const calls = await Promise.all([...members, ...members].map(async (member) => credentials.for(member)));
    expect(calls).toEqual(calls.map(() => header('issued-1')));
    expect(server.requests.length).toBe(1);
  });

  it.each([
    [300, 270_000],
    [60, 30_000],
    [20, 10_000],
  ])(
    'a token with a lifetime of %i seconds is renewed after %i milliseconds, and not before',
    async (seconds, renewAfterMs) => {
      const clock = fakeClock();
      let requests = 0;
      const request = () => okAsync({ token: `issued-${++requests}`, expiresInSeconds: seconds });
      const credentials = clientCredentials({ clock, request });
      await credentials.for(members[0]);
      clock.advance(renewAfterMs - 1);
      void credentials.for(members[0]);
      expect(requests).toBe(1);
      clock.advance(1);
      void credentials.for(members[0]);
      expect(requests).toBe(2);
    },
  );

  it('are used until they expire while the provider is down, and then fail as the provider', async () => {
    const { tokens, clock, server } = await tokenEndpoint((response, form, nth) =>
      nth === 1 ? issue(response, form, nth) : sendJson(response, {}, 503),
    );
    const credentials = clientCredentials(tokens);
    await credentials.for(members[0]);
    clock.advance(299_999);
    expect(credentials.for(members[0])).toEqual(header('issued-1'));
    await server.until(() => server.requests.length === 2);
    clock.advance(1);
    expect(await credentials.for(members[0])).toEqual(err(upstreamStatus('identity', 503)));
  });

  it('client credentials that are refused, also with invalid_grant, are no failure of the member', async () => {
    const { tokens } = await tokenEndpoint((response) => sendJson(response, { error: 'invalid_grant' }, 400));
    expect(await clientCredentials(tokens).for(members[0])).toEqual(err(upstreamStatus('identity', 400)));
  });
});
