import { expect, it } from 'vitest';
import { documentIn, fileWith, portico } from '../program/binary.test.support.ts';
import { identityProvider, serviceEnvironment, sendJson, webServer } from '../program/outside-world.test.support.ts';

it('a command exits with 5 when the token lacks the scope of what it does, and sends nothing', async (test) => {
  const { issuer, token } = await identityProvider(test);
  const service = await webServer(test, (response) => sendJson(response, { plan: 'gold' }));
  const identity = { issuer, scopes: { read: 'me:read', write: 'me:write' } };
  const config = fileWith(test, JSON.stringify({ identity }), { name: 'portico.json' });
  const env = serviceEnvironment(service.url);
  const body = fileWith(test, '{"research":true}');
  const run = (args: string, scope: string) =>
    portico(test, `${args} --json --config ${config}`, { env: { ...env, PORTICO_TOKEN: token({ scope }) } });
  const [read, refused, refusedApi, written, unread] = await Promise.all([
    run('me coverage', 'me:read'),
    run(`me profile set ${body}`, 'me:read'),
    run(`me api PATCH /me/profile --input ${body}`, 'me:read'),
    run(`me consent set ${body}`, 'me:write'),
    run('me preferences set email=on', 'me:write'),
  ]);

  const ended = [read, refused, refusedApi, written, unread];
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 5, 5, 0, 5]);
  expect(documentIn(refused)).toMatchObject({
    code: 'insufficient-scope',
    detail: 'The access token does not have the required scope: me:write.',
  });
  expect(refused.stderr).toContain('Get a token with this scope: give --scope to portico login or portico token');
  expect(documentIn(unread)).toMatchObject({ detail: 'The access token does not have the required scope: me:read.' });
  expect(service.received.toSorted()).toEqual([
    'GET /eligibility/members/PTY-1/coverage',
    'PUT /consent/consent/PTY-1',
  ]);
});
