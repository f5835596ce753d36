import type { DocumentLocator, Ports } from '@portico/core';
import { coreModule, portTokens, useCasesToken } from '@portico/core/inversify';
import { aMember } from '@portico/core/testing';
import { Container, type ServiceIdentifier } from 'inversify';
import { expect, it } from 'vitest';
import { httpModule } from './inversify.ts';
import { httpServer, valueOf } from './local-servers.test.support.ts';

const settings = (url: string) => ({
  identity: { issuer: url, audience: ['portico'] },
  downstreams: {
    eligibility: { url: `${url}/eligibility` },
    claims: { url: `${url}/claims` },
    documents: { url: `${url}/documents` },
    policy: { url: `${url}/policy` },
    notifications: { url: `${url}/notifications` },
    consent: { url: `${url}/consent` },
  },
});

it('answers every port, each from its own system', async () => {
  const server = await httpServer((response) => response.writeHead(404).end());
  const container = new Container();
  container.load(httpModule(settings(server.url)));
  const port = <Name extends keyof Ports>(name: Name) =>
    container.get(portTokens[name] as ServiceIdentifier<Ports[Name]>);
  const member = aMember();
  await port('identity').warm();
  await port('eligibility').coverage(member);
  await port('claims').list(member, []);
  await port('documents').get(member, 'DOC-1' as DocumentLocator, {});
  await port('policy').profile(member);
  await port('notifications').preferences(member);
  await port('consent').get(member);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/.well-known/openid-configuration',
    '/eligibility/members/PTY-1/coverage',
    '/claims/members/PTY-1/claims',
    '/documents/members/PTY-1/documents/DOC-1',
    '/policy/parties/PTY-1',
    '/notifications/preferences/PTY-1',
    '/consent/consent/PTY-1',
  ]);
});

it('gives everybody the same adapter, so that keys are fetched once', () => {
  const container = new Container();
  container.load(httpModule(settings('http://downstream.test')));
  expect(container.get(portTokens.identity)).toBe(container.get(portTokens.identity));
});

it('makes the use cases whole', async () => {
  const text = '{"plan":"gold"}';
  const { url } = await httpServer((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(text),
  );
  const container = new Container();
  container.load(coreModule(), httpModule(settings(url)));
  const { getCoverage } = container.get(useCasesToken);
  expect(await valueOf(getCoverage(aMember()))).toMatchObject({ text });
});

it('refuses settings that cannot work when it is loaded, not when a member asks', () => {
  const { identity, downstreams } = settings('http://downstream.test');
  const container = new Container();
  expect(() =>
    container.load(httpModule({ identity, downstreams: { ...downstreams, claims: { url: 'claims' } } })),
  ).toThrow(TypeError);
});
