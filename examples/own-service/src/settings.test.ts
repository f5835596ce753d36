import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadSettings, serve } from '@portico/cli/serve';
import { portTokens } from '@portico/core/inversify';
import { fakePorts } from '@portico/core/testing';
import { ContainerModule } from 'inversify';
import { expect, it, onTestFinished } from 'vitest';

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The settings file. Its path is relative to the working directory of `portico serve`, which is not that of the test. */
const { downstreams, ...settingsFile } = JSON.parse(
  readFileSync(pathOf('portico.json'), 'utf8').replace(/[\w.]+\.schema\.json/, pathOf),
) as { readonly identity: { readonly issuer: string }; readonly downstreams: { readonly authorizations: object } };

/** Starts a service that returns the request it received, or a PDF. */
const startService = async (): Promise<string> => {
  const service = createServer(({ method, url = '' }, response) => {
    const isLetter = url.endsWith('/letter');
    response.setHeader('Content-Type', isLetter ? 'application/pdf' : 'application/json');
    response.end(isLetter ? '%PDF-1.7' : JSON.stringify({ received: `${method} ${url}` }));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void service.close());
  await once(service, 'listening');
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
};

it('the settings alone serve prior authorizations', async () => {
  const { identity } = fakePorts();
  const authorizations = { ...downstreams.authorizations, url: await startService() };
  const values = { ...settingsFile, downstreams: { authorizations }, listen: { port: 0 }, log: { level: 'silent' } };
  const settings = loadSettings({ values }).unwrapOr(undefined)?.settings;
  const withFakeTokens = new ContainerModule(
    ({ rebind }) => void rebind(portTokens.identity).toConstantValue(identity),
  );
  const server = settings && (await serve({ settings, modules: [withFakeTokens] })).unwrapOr(undefined);
  onTestFinished(() => server?.close());
  const headers = { authorization: `Bearer ${identity.issue({ iss: settingsFile.identity.issuer, sub: 'PTY-1' })}` };
  const get = async (path: string) => (await fetch(`${server?.url}${path}`, { headers })).text();

  expect(await get('/me/authorizations?status=open')).toBe(
    '{"received":"GET /members/PTY-1/authorizations?status=open"}',
  );
  expect(await get('/me/authorizations/AUTH-1')).toBe('{"received":"GET /members/PTY-1/authorizations/AUTH-1"}');
  expect(await get('/me/authorizations/AUTH-1/letter')).toBe('%PDF-1.7');
  expect(await get('/me/authorizations?from=2026-01-01')).toContain('from');
  expect(await get('/openapi.json')).toContain('"enum":["open","approved","denied"]');
});
