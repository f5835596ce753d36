import { request } from 'node:http';
import { httpService } from '@portico/adapters-http';
import { createServer } from '@portico/adapters-koa';
import {
  createUseCases,
  declarationProblems,
  declareService,
  ownService,
  type ServiceDeclaration,
} from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { listening } from '@portico/demo/ports';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';

const member = 'auth0|member-a';
const otherMember = 'PTY-2';

const parameter = fc.constantFrom('{id}', '{locator}', '{n}');
const mistake = fc.constantFrom(
  '..',
  '.',
  '',
  '%2e%2e',
  '{partyLocator}',
  '{id}x',
  '?a',
  '#a',
  '\\',
  '..;',
  '{constructor}',
);
const routeSegment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('plans', 'visits', 'x-1') },
  { weight: 4, arbitrary: parameter },
  { weight: 1, arbitrary: mistake },
);
const pathSegment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('v1', 'Plan$x', 'a.b') },
  { weight: 1, arbitrary: mistake },
);

/** An operation whose path has the parameters of its route, and sometimes a mistake. */
const operation = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
    segments: fc.array(routeSegment, { minLength: 1, maxLength: 4 }),
    more: fc.array(pathSegment, { maxLength: 3 }),
    seed: fc.nat(),
    query: fc.uniqueArray(fc.constantFrom('status', '_count', 'partyLocator'), { maxLength: 2 }),
  })
  .map(({ method, segments, more, seed, query }) => {
    const parts = ['{partyLocator}', ...segments.filter((each) => /^\{\w+\}$/.test(each)), ...more];
    const path = parts.toSorted((one, two) => hash(one, seed) - hash(two, seed)).join('/');
    return { route: `${method} /me/own/${segments.join('/')}`, path: `/${path}`, query };
  });

const hash = (text: string, seed: number) =>
  text.split('').reduce((sum, each) => (sum * 31 + each.codePointAt(0)!) % 997, seed);

const hostile = fc.constantFrom(
  'A-1',
  otherMember,
  '..',
  '%2e%2e',
  '..%2fPTY-2',
  '%2e%2e%2f%2e%2e%2fmembers%2fPTY-2',
  'a%2fb',
  '%252e',
  'a;b',
  '%00',
  '{partyLocator}',
  '$&',
  '%',
  'PTY-2%3f',
  'PTY-2%23',
  '-',
  'a'.repeat(200),
  '.',
  '%E2%80%AE',
  'a:b',
  '@x',
);
const hostileQuery = fc.constantFrom(
  '',
  '?status=open',
  '?status=a%26partyLocator=PTY-2',
  '?partyLocator=PTY-2',
  '?status=a%23/../PTY-2',
  '?status=a#/../PTY-2',
  '?_count=1&_count=2;partyLocator=PTY-2',
  '?status=%0d%0aHost:+x',
  '?=1',
  '?status=a/../../PTY-2',
);

/** Serves a declaration over HTTP adapters whose requests are recorded instead of sent. */
const serving = async (declaration: ServiceDeclaration) => {
  const sent: string[] = [];
  const fakes = fakePorts();
  const record: typeof fetch = async (input) => {
    sent.push((input as Request).url);
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  const port = httpService(declaration, { url: 'http://service.test/base', fetch: record });
  const useCases = createUseCases({ ...fakes, services: [ownService(declaration, port)] });
  const { url, close } = await listening(createServer(useCases));
  const send = (method: string, path: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${fakes.identity.issue({ sub: member })}`,
        'x-party-locator': otherMember,
        ...(method === 'GET' || method === 'DELETE' ? {} : { 'content-type': 'application/json' }),
      };
      const outgoing = request(url, { method, path, headers, agent: false }, (incoming) => {
        incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0));
      });
      outgoing
        .on('error', reject)
        .end('content-type' in headers ? `{"a":1,"partyLocator":"${otherMember}"}` : undefined);
    });
  return { send, sent, close };
};

/** Whether a URL is what a template allows for this member: its literals, the member's locator and valid parameters. */
const isAllowed = (url: string, template: string, query: readonly string[]): boolean => {
  const [, path = '', search] = /^http:\/\/service\.test\/base([^?#]*)(?:\?([^#]*))?$/.exec(url) ?? [];
  const found = path.split('/');
  const expected = template.split('/');
  const names = (search ?? '')
    .split('&')
    .filter(Boolean)
    .map((part) => part.split('=', 1)[0]!);
  return (
    found.length === expected.length &&
    names.every((name) => query.includes(name) && !/locator/i.test(name)) &&
    expected.every((part, at) => {
      if (part === '{partyLocator}') return found[at] === encodeURIComponent(member);
      if (!part.startsWith('{')) return found[at] === part;
      return /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(decodeURIComponent(found[at]!)) && !found[at]!.includes('..');
    })
  );
};

it('no request to a declared service leaves its template or names another member, for random declarations and requests', async () => {
  let accepted = 0;
  let relayed = 0;
  const stop: (() => void)[] = [];
  onTestFinished(() => stop.forEach((close) => close()));
  await fc.assert(
    fc.asyncProperty(
      operation,
      fc.array(fc.tuple(fc.array(hostile, { minLength: 3, maxLength: 3 }), hostileQuery), {
        minLength: 4,
        maxLength: 4,
      }),
      async (declared, requests) => {
        if (declarationProblems('own', { call: declared }).length > 0) return;
        accepted++;
        const declaration = declareService('own', { call: declared as never });
        const { send, sent, close } = await serving(declaration);
        stop.push(close);
        const [method = '', template = ''] = declared.route.split(' ');
        for (const [values, query] of [...requests, [['A-1', 'B-2', 'C-3'], ''] as const]) {
          const remaining = [...values];
          const path = template.replaceAll(/\{\w+\}/g, () => remaining.shift() ?? 'A-1');
          expect(await send(method, path + query)).not.toBe(500);
        }
        relayed += sent.length;
        expect(sent.filter((url) => !isAllowed(url, declared.path, declared.query))).toEqual([]);
        expect(sent.length).toBeGreaterThan(0);
        close();
      },
    ),
    { numRuns: 150 },
  );
  expect([accepted > 15, relayed > accepted]).toEqual([true, true]);
});
