import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyServer, startFaultyServer } from './faults.ts';
import { tokenOf } from './sandbox.ts';
import { seedMembers } from './seed/members.ts';
import { type IdentityProvider, startIdentityProvider } from './services/identity.ts';
import { standIns } from './services.ts';

let provider: IdentityProvider;
let consent: FaultyServer;
let documents: FaultyServer;
let authorization: string;

beforeAll(async () => {
  const seeds = await seedMembers();
  provider = await startIdentityProvider({ users: seeds });
  const services = standIns(provider.issuer, seeds);
  [consent, documents] = await Promise.all([
    startFaultyServer(services.consent),
    startFaultyServer(services.documents),
  ]);
  authorization = `Bearer ${await tokenOf(provider, seeds, 'member-a')}`;
});
afterAll(() => Promise.all([consent.close(), documents.close(), provider.close()]));

const ask = (url: string, { headers, ...init }: RequestInit = {}) =>
  fetch(url, { ...init, headers: { authorization, ...(headers as object) } });
const put = (body: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(`${consent.url}/consent/PTY-1001`, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a write to a service', () => {
  it('that is not JSON is a 400', async () => {
    expect((await put('{"consents":')).status).toBe(400);
  });

  it('that is not called JSON is a 415', async () => {
    expect((await put('{"consents":[]}', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('of more than a mebibyte is a 413', async () => {
    expect((await put(JSON.stringify({ consents: 'x'.repeat(1_100_000) }))).status).toBe(413);
  });

  it('on the condition of an old version is a 412', async () => {
    const etag = (await ask(`${consent.url}/consent/PTY-1001`)).headers.get('etag') ?? '';
    expect((await put('{"consents":[]}', { 'if-match': etag })).status).toBe(200);
    expect((await put('{"consents":[{}]}', { 'if-match': etag })).status).toBe(412);
  });
});

it('a document is not sent again when it was not modified since', async () => {
  const url = `${documents.url}/members/PTY-1001/documents/DOC-EOB-1001-05`;
  const first = await ask(url);
  await first.arrayBuffer();
  const lastModified = first.headers.get('last-modified') ?? '';
  expect(lastModified).toMatch(/ GMT$/);
  expect((await ask(url, { headers: { 'if-modified-since': lastModified } })).status).toBe(304);
});
