import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultyServer, startFaultyServer } from './faults.ts';
import { tokenOf } from './sandbox.ts';
import { seedMembers } from './seed/members.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider/identity.ts';
import { sandboxServices } from './services.ts';

let provider: IdentityProvider;
let claims: FaultyServer;
let consent: FaultyServer;
let documents: FaultyServer;
let authorization: string;

beforeAll(async () => {
  const seeds = await seedMembers();
  provider = await startIdentityProvider({ users: seeds });
  const services = sandboxServices(provider.issuer, seeds);
  [claims, consent, documents] = await Promise.all([
    startFaultyServer(services.claims),
    startFaultyServer(services.consent),
    startFaultyServer(services.documents),
  ]);
  authorization = `Bearer ${await tokenOf(provider, seeds, 'member-a')}`;
});
afterAll(() => Promise.all([claims.close(), consent.close(), documents.close(), provider.close()]));

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

/** The last two digits of the claims' locators. */
const listClaims = async (query: string) => {
  const response = await request(`${claims.url}/members/PTY-1001/claims?${query}`);
  const list = (await response.json()) as { readonly claims: readonly { readonly locator: string }[] };
  return list.claims.map(({ locator }) => locator.slice(-2));
};

describe('the list of claims', () => {
  it.each([
    ['from=2026-03-27', ['06', '05', '04', '03']],
    ['to=2026-03-05', ['02', '01']],
    ['from=2026-03-01&to=2026-03-31', ['03', '02']],
    ['from=2026-03&to=2026-03', ['03', '02']],
    ['status=denied', ['05']],
    ['status=lost', []],
    ['type=institutional', ['03']],
    ['status=paid&from=2026-03-01', ['04', '03', '02']],
  ])('contains only what the parameters select: %s', async (query, expected) => {
    expect(await listClaims(query)).toEqual(expected);
  });

  it.each([
    ['sort=date', ['01', '02', '03', '04', '05', '06']],
    ['sort=-date', ['06', '05', '04', '03', '02', '01']],
    ['sort=billedAmount', ['04', '06', '05', '02', '03', '01']],
    ['sort=-provider.name&limit=1', ['04']],
    ['sort=no.such.field', ['06', '05', '04', '03', '02', '01']],
    ['sort=toString', ['06', '05', '04', '03', '02', '01']],
  ])('the list of claims has the requested order: %s', async (query, expected) => {
    expect(await listClaims(query)).toEqual(expected);
  });
});

it('the documents service returns 304 when a document was not modified', async () => {
  const url = `${documents.url}/members/PTY-1001/documents/DOC-EOB-1001-05`;
  const first = await request(url);
  await first.arrayBuffer();
  const lastModified = first.headers.get('last-modified') ?? '';
  expect(lastModified).toMatch(/ GMT$/);
  expect((await request(url, { headers: { 'if-modified-since': lastModified } })).status).toBe(304);
});
