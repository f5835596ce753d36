import { httpService } from '@portico/adapters-http';
import { createServer } from '@portico/adapters-koa';
import { porticoClient } from '@portico/client';
import { createUseCases, type DocumentResponse, declareService, ownService, toJson } from '@portico/core';
import { aMember, fakePorts, fakeService, serviceContract, somePdf } from '@portico/core/testing';
import { listening } from '@portico/demo/ports';
import { okAsync } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';

const visit = { path: '/me/visits/{locator}' } as const;

/** Each path is that of the member route, so that a Portico can be the service that another one calls. */
const visits = declareService(
  'visits',
  {
    list: { route: 'GET /me/visits', path: '/me/visits', query: ['status'] },
    get: { route: 'GET /me/visits/{locator}', ...visit },
    book: { route: 'POST /me/visits', path: '/me/visits' },
    move: { route: 'PATCH /me/visits/{locator}', ...visit },
    replace: { route: 'PUT /me/visits/{locator}', ...visit },
    cancel: { route: 'DELETE /me/visits/{locator}', ...visit },
    report: { route: 'GET /me/visits/{locator}/report', path: '/me/visits/{locator}/report', type: 'application/pdf' },
  },
  { memberFrom: 'token' },
);

const parameters = { locator: 'VISIT-1' };
const body = toJson({ date: '2026-01-02' });

/** The HTTP adapter of the service, which is a server with a fake behind it. */
const subject = async () => {
  const fakes = fakePorts();
  const fake = fakeService(visits, {
    'PTY-1': {
      '/me/visits': { visits: [{ locator: 'VISIT-1' }] },
      '/me/visits/VISIT-1': { locator: 'VISIT-1', date: '2026-01-01' },
      '/me/visits/VISIT-1/report': somePdf,
    },
    'PTY-2': { '/me/visits': { visits: [] } },
  });
  const server = await listening(createServer(createUseCases({ ...fakes, services: [ownService(visits, fake)] })));
  onTestFinished(server.close);
  const memberOf = (sub: string) => aMember(sub, fakes.identity.issue({ sub }));
  return {
    service: httpService(visits, { url: server.url }),
    member: memberOf('PTY-1'),
    other: memberOf('PTY-2'),
    unknown: memberOf('PTY-3'),
    otherBodies: { book: toJson({ date: '2026-02-03' }) },
    requests: {
      list: { query: { status: 'open' } },
      get: { parameters },
      book: { body },
      move: { parameters, body },
      replace: { parameters, body },
      cancel: { parameters },
      report: { parameters },
    },
  };
};

serviceContract(visits)({ describe, it, deadlineMs: 60_000 }, subject);

const cards = declareService(
  'cards',
  { order: { route: 'POST /me/cards', path: '/me/cards', type: 'application/pdf' } },
  { memberFrom: 'token' },
);

const contentOf = async (response: DocumentResponse): Promise<string> => {
  const chunks: Uint8Array[] = [];
  if ('content' in response) for await (const chunk of response.content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

it.each([
  ['whole', '%PDF'],
  ['created', '%PDF'],
  ['accepted', '%PDF'],
  ['no-content', ''],
] as const)('a write that streams its response keeps the outcome %s', async (outcome, text) => {
  const fakes = fakePorts();
  const content = async function* () {
    yield Buffer.from(text);
  };
  const order = () =>
    okAsync<DocumentResponse>(
      outcome === 'no-content' ? { outcome, headers: {} } : { outcome, headers: {}, content: content() },
    );
  const useCases = createUseCases({ ...fakes, services: [ownService(cards, { order })] });
  const { url, close } = await listening(createServer(useCases));
  onTestFinished(close);
  const token = fakes.identity.issue({ sub: 'PTY-1' });
  const byAdapter = await ownService(cards, httpService(cards, { url })).useCases.order(aMember('PTY-1', token), {
    body,
  });
  const byClient = await porticoClient({ url, token }).service(cards).order({ body });
  for (const result of [byAdapter, byClient]) {
    const response = result.unwrapOr(undefined);
    expect(response && [response.outcome, await contentOf(response)]).toEqual([outcome, text]);
  }
});
