import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyServer, startFaultyServer } from './faults.ts';
import { tokenOf } from './sandbox.ts';
import { seedMembers } from './seed/members.ts';
import { type IdentityProvider, startIdentityProvider } from './services/identity.ts';
import { sandboxServices } from './services.ts';

let provider: IdentityProvider;
let consent: FaultyServer;
let documents: FaultyServer;
let authorization: string;

beforeAll(async () => {
  const seeds = await seedMembers();
  provider = await startIdentityProvider({ users: seeds });
  const services = sandboxServices(provider.issuer, seeds);
  [consent, documents] = await Promise.all([
    startFaultyServer(services.consent),
    startFaultyServer(services.documents),
  ]);
  authorization = `Bearer ${await tokenOf(provider, seeds, 'member-a')}`;
});
afterAll(() => Promise.all([consent.close(), documents.close(), provider.close()]));

const request = (url: string, { headers, ...init }: RequestInit = {}) =>
  fetch(url, { ...init, headers: { authorization, ...(headers as object) } });
const put = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  request(`${consent.url}/consent/PTY-1001`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a write to a service', () => {
  it('returns 400 when the body is not JSON', async () => {
    expect((await put('{"consents":')).status).toBe(400);
  });

  it('returns 415 when the content type is not JSON', async () => {
    expect((await put('{"consents":[]}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('returns 413 when the body is larger than 1 MiB', async () => {
    expect((await put(JSON.stringify({ consents: 'x'.repeat(1_100_000) }))).status).toBe(413);
  });

  it('returns 412 when If-Match has an old version', async () => {
    const etag = (await request(`${consent.url}/consent/PTY-1001`)).headers.get('etag') ?? '';
    expect((await put('{"consents":[]}', { 'if-match': etag })).status).toBe(200);
    expect((await put('{"consents":[{}]}', { 'if-match': etag })).status).toBe(412);
  });
});

it('returns 304 when a document was not modified', async () => {
  const url = `${documents.url}/members/PTY-1001/documents/DOC-EOB-1001-05`;
  const first = await request(url);
  await first.arrayBuffer();
  const lastModified = first.headers.get('last-modified') ?? '';
  expect(lastModified).toMatch(/ GMT$/);
  expect((await request(url, { headers: { 'if-modified-since': lastModified } })).status).toBe(304);
});
