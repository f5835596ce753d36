import { transportOf } from '@portico/adapters-http';
import { expect, it, vi } from 'vitest';
import { deviceEndpoints } from './oauth-client.ts';

const never = new AbortController().signal;

const discover = (issuer: string, token: string, device: string) => {
  const document = { issuer, token_endpoint: token, device_authorization_endpoint: device };
  const respond: typeof fetch = () => Promise.resolve(Response.json(document));
  return deviceEndpoints(transportOf({ fetch: respond }), issuer, never);
};

it.each([
  ['token endpoint', 'http://id.example/token', 'https://id.example/device'],
  ['device endpoint', 'https://id.example/token', 'http://id.example/device'],
])('deviceEndpoints does not use a plain http %s of an https issuer', async (_, token, device) => {
  expect((await discover('https://id.example', token, device)).isErr()).toBe(true);
});

it.each(['https://id.example', 'http://127.0.0.1:8080'])(
  'deviceEndpoints uses the endpoints of %s with its scheme',
  async (issuer) => {
    const found = await discover(issuer, `${issuer}/token`, `${issuer}/device`);

    expect(found).toMatchObject({ value: { token: `${issuer}/token`, device: `${issuer}/device` } });
  },
);

it.each([302, 429, 500, 503])('deviceEndpoints reports a provider that responds with %i as failed', async (status) => {
  const respond: typeof fetch = () => Promise.resolve(Response.json({ error: 'busy' }, { status }));
  const found = await deviceEndpoints(transportOf({ fetch: respond }), 'https://id.example', never);

  expect(found).toMatchObject({ error: { exitCode: 4, document: { reason: 'status' } } });
});

const abort: typeof fetch = (_, options) => Promise.reject(options?.signal?.reason as Error);

it('deviceEndpoints reports a provider that does not respond in time', async ({ onTestFinished }) => {
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  const found = await deviceEndpoints(transportOf({ fetch: abort }), 'https://id.example', never);

  expect(found).toMatchObject({
    error: {
      document: { reason: 'timeout' },
      hint: 'It did not respond within 10 seconds. Run the command again.',
    },
  });
});
