import { err, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { createUseCases } from '../use-cases.ts';
import { fakePorts } from '../ports.fake.ts';
import { declareService } from './declare-service.ts';
import type { AnyServiceRequest, ServicePort } from './own-service.port.ts';
import { ownService } from './own-service.ts';

const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: '/members/{partyLocator}/authorizations', query: ['status', 'page'] },
  get: { route: 'GET /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  submit: { route: 'POST /me/authorizations', path: '/members/{partyLocator}/authorizations' },
  change: { route: 'PUT /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  remove: { route: 'DELETE /me/authorizations/{locator}', path: '/members/{partyLocator}/authorizations/{locator}' },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: '/members/{partyLocator}/authorizations/{locator}/letter',
    type: 'application/pdf',
  },
});

type Port = ServicePort<typeof authorizations>;

const member = aMember('PTY-1');
const body = toJson({ procedure: '97110' });

/** The use cases of the service over a port that records the requests it receives. */
const service = () => {
  const received: AnyServiceRequest[] = [];
  const record = (request: AnyServiceRequest) => {
    received.push(request);
    return okAsync(toJson({}));
  };
  const port: Port = {
    list: (_, request) => record(request),
    get: (_, request) => record(request),
    submit: (_, request) => record(request),
    change: (_, request) => record(request),
    remove: (_, request) => record(request),
    letter: (_, request) => record(request).map(() => ({ outcome: 'not-modified', headers: {} })),
  };
  return { use: ownService(authorizations, port).useCases, received };
};

describe('the use cases of a declared service', () => {
  it('pass declared query parameters by name', async () => {
    const { use, received } = service();
    await use.list(member, { query: { status: 'open', page: undefined } });
    await use.list(member, { query: 'page=%32&status=a+b' });
    await use.list(member);
    expect(received.map(({ query }) => query)).toEqual([
      [['status', 'open']],
      [
        ['page', '2', '%32'],
        ['status', 'a b', 'a+b'],
      ],
      [],
    ]);
  });

  it.each(['partyLocator=PTY-2', 'sort=1', 'Status=open', '__proto__=1'])(
    'reject an undeclared query parameter by name: %s',
    async (query) => {
      const { use, received } = service();
      expect(await use.list(member, { query })).toMatchObject({
        error: {
          kind: 'invalid',
          errors: [{ path: `/${query.split('=')[0]}`, message: 'unknown parameter; expected one of status, page' }],
        },
      });
      expect(received).toEqual([]);
    },
  );

  it('reject every query parameter when none is declared', async () => {
    const { use } = service();
    expect(await use.get(member, { parameters: { locator: 'A' }, query: 'status=open' })).toMatchObject({
      error: { errors: [{ path: '/status', message: 'unknown parameter; the route has none' }] },
    });
  });

  it.each(['', '..', 'A/B', '%2e', 'x'.repeat(129), '-A', 'A..B'])('reject the parameter "%s"', async (locator) => {
    const { use, received } = service();
    expect(await use.get(member, { parameters: { locator } })).toMatchObject({
      error: {
        kind: 'invalid',
        detail: 'The parameter locator in the path is not valid.',
        errors: [{ path: '/locator' }],
      },
    });
    expect(received).toEqual([]);
  });

  it('pass the declared parameters only', async () => {
    const { use, received } = service();
    const parameters = { locator: 'AUTH-1', partyLocator: 'PTY-2' };
    await use.get(member, { parameters });
    expect(received).toMatchObject([{ parameters: { locator: 'AUTH-1' } }]);
    expect(received[0]?.parameters).not.toHaveProperty('partyLocator');
  });

  it('pass only parameters and query of a request for JSON', async () => {
    const { use, received } = service();
    await use.get(member, { parameters: { locator: 'AUTH-1' }, conditions: { ifNoneMatch: '"1"' }, body } as never);
    expect(received).toEqual([{ parameters: { locator: 'AUTH-1' }, query: [] }]);
  });

  it('relay a body unchanged, without fields that name a member', async () => {
    const { use, received } = service();
    const text = ' {"b":1.0,"a":[]}';
    await use.submit(member, { body: { text, value: JSON.parse(text) } });
    await use.change(member, { parameters: { locator: 'A' }, body: toJson({ partyLocator: 'PTY-2', a: 1 }) });
    expect(received.map((request) => request.body?.text)).toEqual([text, '{"a":1}']);
  });

  it('accept an empty body', async () => {
    const { use, received } = service();
    await use.submit(member, { body: toJson({}) });
    expect(received.map((request) => request.body?.text)).toEqual(['{}']);
  });

  it.each([[], null, 'text', { partyLocator: 'PTY-2' }])('reject the body %j', async (value) => {
    const { use, received } = service();
    expect(await use.submit(member, { body: toJson(value) })).toMatchObject({ error: { kind: 'invalid' } });
    expect(received).toEqual([]);
  });

  it('require a body for PATCH', async () => {
    const path = '/members/{partyLocator}/authorizations';
    const declared = declareService('authorizations', { amend: { route: 'PATCH /me/authorizations', path } });
    const { useCases } = ownService(declared, { amend: () => okAsync(toJson({})) });
    expect(await useCases.amend(member, { body })).toEqual(ok(toJson({})));
    expect(await useCases.amend(member, { body: toJson([]) })).toMatchObject({ error: { kind: 'invalid' } });
  });

  it('pass a valid idempotency key and reject any other', async () => {
    const { use, received } = service();
    await use.submit(member, { body, idempotencyKey: 'key-1' });
    expect(received).toMatchObject([{ idempotencyKey: 'key-1' }]);
    expect(await use.submit(member, { body, idempotencyKey: 'two words' })).toMatchObject({
      error: { errors: [{ path: '/Idempotency-Key' }] },
    });
  });

  it('pass a valid entity tag with a change and reject any other', async () => {
    const { use, received } = service();
    const parameters = { locator: 'A' };
    await use.remove(member, { parameters, ifMatch: '"1"' });
    expect(received).toMatchObject([{ ifMatch: '"1"' }]);
    expect(await use.change(member, { parameters, body, ifMatch: 'x' })).toMatchObject({
      error: { errors: [{ path: '/If-Match' }] },
    });
  });

  it('pass a single range of a streamed response and drop several', async () => {
    const { use, received } = service();
    const parameters = { locator: 'A' };
    await use.letter(member, { parameters, conditions: { range: 'bytes=0-1', ifNoneMatch: '"1"' } });
    await use.letter(member, { parameters, conditions: { range: 'bytes=0-1,4-5', ifNoneMatch: '"1"' } });
    expect(received.map(({ conditions }) => conditions)).toEqual([
      { range: 'bytes=0-1', ifNoneMatch: '"1"' },
      { ifNoneMatch: '"1"' },
    ]);
  });

  it('have the types of the declaration', () => {
    const { use } = service();
    const mistakes = () => {
      // @ts-expect-error The route has a parameter.
      void use.get(member);
      // @ts-expect-error The parameter has another name.
      void use.get(member, { parameters: { id: 'A' } });
      // @ts-expect-error The query parameter is not declared.
      void use.list(member, { query: { sort: 'x' } });
      // @ts-expect-error A POST has a body.
      void use.submit(member, {});
      // @ts-expect-error A GET has none.
      void use.list(member, { body });
      // @ts-expect-error JSON is not streamed.
      void use.get(member, { parameters: { locator: 'A' } }).map(({ outcome }) => outcome);
      void use.letter(member, { parameters: { locator: 'A' } }).map(({ outcome }) => outcome);
      void use.get(member, { parameters: { locator: 'A' } }).map(({ status, text }) => [status, text]);
      // @ts-expect-error A route is below /me/.
      declareService('x', { get: { route: 'GET /x', path: '/{partyLocator}' } });
    };
    expect(mistakes).toBeTypeOf('function');
  });
});

it('the body of a streamed operation is checked and relayed, with conditions too', async () => {
  const cards = declareService('cards', {
    order: { route: 'POST /me/cards', path: '/cards/{partyLocator}', type: 'application/pdf' },
  });
  const bodies: (string | undefined)[] = [];
  const { order } = ownService(cards, {
    order: (_, request) => {
      bodies.push(request.body.text);
      return okAsync({ outcome: 'not-modified', headers: {} });
    },
  }).useCases;
  await order(member, { body: toJson({ a: 1, partyLocator: 'PTY-2' }), conditions: {} });
  expect(await order(member, { body: toJson([]), conditions: {} })).toMatchObject({ error: { kind: 'invalid' } });
  expect(bodies).toEqual(['{"a":1}']);
});

describe('createUseCases with services of your own', () => {
  const small = declareService('small', { get: { route: 'GET /me/small', path: '/small/{partyLocator}' } });
  const ownSmall = ownService(small, { get: () => okAsync(toJson({})) });

  it('returns them beside the built-in use cases', async () => {
    const use = createUseCases({ ...fakePorts(), services: [ownSmall] });
    expect(use.services).toEqual([ownSmall]);
    expect(await use.getCoverage(member)).toEqual(ok(toJson({ plan: 'gold' })));
    expect(createUseCases(fakePorts())).not.toHaveProperty('services');
  });

  it('rejects two services with the same name, and two with colliding routes', () => {
    const other = declareService('other', { get: { route: 'GET /me/small', path: '/{partyLocator}' } });
    const ownOther = ownService(other, { get: () => okAsync(toJson({})) });
    expect(() => createUseCases({ ...fakePorts(), services: [ownSmall, ownOther] })).toThrow(
      expect.objectContaining({
        name: 'DeclarationError',
        message: 'The route "GET /me/small" collides with the route of the same name.',
      }),
    );
    expect(() => createUseCases({ ...fakePorts(), services: [ownSmall, ownSmall] })).toThrow(
      'There are two services with the name "small".',
    );
  });

  it('requires every operation of the port', () => {
    // @ts-expect-error A port without `get` is only a part of the service.
    const part = ownService(small, {});
    expect(part.declaration).toBe(small);
  });
});

it('an error of the port is the error of its use case', async () => {
  const small = declareService('small', { get: { route: 'GET /me/small', path: '/small/{partyLocator}' } });
  const failure = { kind: 'not-found', service: 'small', code: 'not-found' } as const;
  const port = { get: () => okAsync(toJson({})).andThen(() => err(failure)) };
  expect(await ownService(small, port).useCases.get(member)).toEqual(err(failure));
});
