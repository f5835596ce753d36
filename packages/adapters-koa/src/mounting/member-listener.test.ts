import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createUseCases } from '@portico/core';
import { fakePorts } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import { MountError } from '../request/mount-error.ts';
import { listening, routes, send } from '../server/portal.test.support.ts';
import { type MemberListener, memberListener } from './member-listener.ts';

type Mount = (portico: MemberListener, request: IncomingMessage, response: ServerResponse) => void;

/** Serves the listener as a framework calls it, with fakes behind it. */
const serving = async (mount: Mount, isForeign = ({ text }: { readonly text: string }) => text === 'own') => {
  const fakes = fakePorts();
  const errors: unknown[] = [];
  const portico = memberListener(createUseCases(fakes), { onError: (error) => errors.push(error) });
  const server = createServer((request, response) => mount(portico, request, response));
  const port = await listening(server, { isForeign });
  const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
  return {
    calls: fakes.calls,
    errors,
    request: (method: string, path: string, body?: string | readonly string[], headers = {}) =>
      send(port, method, path, {
        headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body }),
      }),
  };
};

const plain: Mount = (portico, request, response) => portico(request, response);

const withNext: Mount = (portico, request, response) => portico(request, response, () => response.end('own'));

/** As Express and Connect do for a listener that is mounted at a path. */
const mountedAt =
  (prefix: string, properties: object = { baseUrl: prefix }): Mount =>
  (portico, request, response) => {
    const { url = '' } = request;
    const stripped = url.slice(prefix.length);
    Object.assign(request, {
      ...properties,
      originalUrl: url,
      url: stripped.startsWith('/') ? stripped : `/${stripped}`,
    });
    withNext(portico, request, response);
  };

/** As body parsers do: reads the whole body first. */
const afterParser =
  (keep: (bytes: Buffer) => object): Mount =>
  (portico, request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Object.assign(request, keep(Buffer.concat(chunks)));
      // Parsers continue after the request has ended and closed.
      setImmediate(() => withNext(portico, request, response));
    });
  };

describe('memberListener', () => {
  it.each(routes)('serves %s %s', async (method, path, service, operation, body?: string) => {
    const { request, calls, errors } = await serving(plain);
    expect((await request(method, path, body)).status).toBeLessThan(300);
    expect([calls, errors]).toEqual([[`${service}.${operation} PTY-1`], []]);
  });

  it('passes on requests outside /me', async () => {
    const { request } = await serving(withNext);
    for (const path of ['/', '/men', '/other/me', '/other?x=/me'])
      expect((await request('GET', path)).text).toBe('own');
    expect((await request('GET', '/me?x=1')).json).toMatchObject({ code: 'invalid-request' });
  });

  it('returns 404 outside /me if there is no other listener', async () => {
    const { request, errors } = await serving(plain);
    for (const path of ['/', '/men', '/%6De/me/claims'])
      expect((await request('GET', path)).json).toMatchObject({ status: 404, code: 'no-such-route' });
    expect(errors).toEqual([]);
  });

  it('passes an exception to onError, and returns 500 without its message', async () => {
    const bug = new Error('PTY-1');
    const errors: unknown[] = [];
    const coverage = () => {
      throw bug;
    };
    const fakes = fakePorts({ eligibility: { coverage } });
    const portico = memberListener(createUseCases(fakes), { onError: (...report) => errors.push(report) });
    const port = await listening(createServer(portico));
    const authorization = `Bearer ${fakes.identity.issue({ sub: 'PTY-1' })}`;
    const response = await send(port, 'GET', '/me/coverage', { headers: { authorization } });
    expect([response.status, response.text.includes('PTY-1')]).toEqual([500, false]);
    expect(errors).toEqual([[bug, response.headers['x-request-id']]]);
  });
});

describe('a listener that is mounted at a path', () => {
  const sentence = /^The member routes are mounted (?:at a path|below a prefix)\. Mount them without one/;

  it.each<readonly [string, Mount, path: string]>([
    ['in Express at /me', mountedAt('/me'), '/me/claims'],
    ['in Express at /me, for /me itself', mountedAt('/me'), '/me'],
    ['in Express at /api', mountedAt('/api'), '/api/me/claims'],
    ['in Connect at /me', mountedAt('/me', {}), '/me/claims?status=open'],
    ['in a router that keeps the prefix', plain, '/api/v1/me/claims'],
  ])('returns 500 with the reason, also to onError: %s', async (_, mount, path) => {
    const { request, errors, calls } = await serving(mount, () => true);
    const { status, json } = await request('GET', path);
    expect([status, json]).toEqual([
      500,
      expect.objectContaining({ code: 'internal', detail: expect.stringMatching(sentence) }),
    ]);
    expect(errors).toEqual([expect.any(MountError)]);
    expect((errors[0] as MountError).message).toMatch(sentence);
    expect(calls).toEqual([]);
  });

  it('is not assumed for a path that a middleware has rewritten to /me', async () => {
    const { request, errors } = await serving(
      (portico: MemberListener, request: IncomingMessage, response: ServerResponse) => {
        Object.assign(request, { originalUrl: request.url, url: '/me/claims' });
        withNext(portico, request, response);
      },
      () => true,
    );
    expect([(await request('GET', '/portal/claims')).status, errors]).toEqual([200, []]);
  });
});

describe('a listener behind a body parser', () => {
  const claim = '{"type":"dental"}';

  it.each<readonly [string, (bytes: Buffer) => object]>([
    ['kept nothing', () => ({})],
    ['kept the parsed value', (bytes) => ({ body: JSON.parse(String(bytes)) as unknown })],
    ['kept a string', (bytes) => ({ rawBody: String(bytes) })],
    ['kept fewer bytes than were sent', (bytes) => ({ rawBody: bytes.subarray(1) })],
  ])('returns 500 with the reason, also to onError, if the parser %s', async (_, keep) => {
    const { request, errors, calls } = await serving(afterParser(keep));
    expect((await request('POST', '/me/claims', claim)).json).toMatchObject({
      status: 500,
      code: 'internal',
      detail: expect.stringMatching(/^The request body was read before the routes of Portico\. Mount them before body/),
    });
    expect(errors).toEqual([expect.any(MountError)]);
    expect(calls).toEqual([]);
  });

  it('returns 500 if the length of the body was not declared, so that nothing proves that it is complete', async () => {
    const { request, errors } = await serving(afterParser((bytes) => ({ rawBody: bytes })));
    expect((await request('POST', '/me/claims', [claim])).status).toBe(500);
    expect(errors).toEqual([expect.any(MountError)]);
  });

  it.each([
    ['rawBody', (bytes: Buffer) => ({ rawBody: bytes, body: JSON.parse(String(bytes)) as unknown })],
    ['body', (bytes: Buffer) => ({ body: bytes })],
  ])('uses the bytes that the parser kept in %s, under the same limits', async (_, keep) => {
    const { request, errors, calls } = await serving(afterParser(keep));
    expect((await request('POST', '/me/claims', claim)).status).toBe(201);
    expect((await request('POST', '/me/claims', '[1]')).status).toBe(400);
    expect((await request('POST', '/me/claims', JSON.stringify('x'.repeat(300_000)))).status).toBe(413);
    expect([calls, errors]).toEqual([['claims.submit PTY-1'], []]);
  });

  it('serves requests without a body', async () => {
    const { request, calls } = await serving(afterParser(() => ({})));
    expect((await request('GET', '/me/claims')).status).toBe(200);
    expect((await request('POST', '/me/claims', '')).json).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(calls).toEqual(['claims.list PTY-1']);
  });
});
