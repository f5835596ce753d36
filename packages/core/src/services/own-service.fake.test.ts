import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { somePdf } from '../documents/documents.fake.ts';
import { mixingMembers } from '../contract/unsafe-operations.test.support.ts';
import { succeeds } from '../contract/assertions.ts';
import { BrokenPromise } from '../contract/contract-suite.ts';
import { notFound, preconditionFailed, upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { declareService } from './declare-service.ts';
import { serviceContract, type ServiceSubject } from './own-service.contract.ts';
import { fakeService } from './own-service.fake.ts';
import type { ServicePort } from './own-service.port.ts';

const base = '/members/{partyLocator}/authorizations';
const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: base },
  get: { route: 'GET /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  submit: { route: 'POST /me/authorizations', path: base },
  change: { route: 'PATCH /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  replace: { route: 'PUT /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  remove: { route: 'DELETE /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: `${base}/{locator}/letter` as const,
    type: 'application/pdf',
  },
});

const member = aMember('PTY-1');
const other = aMember('PTY-2');
const parameters = { locator: 'AUTH-1' };
const query = [] as const;
const body = toJson({ procedure: '97110' });

const fake = () =>
  fakeService(authorizations, {
    'PTY-1': {
      '/me/authorizations': { authorizations: [{ locator: 'AUTH-1' }] },
      '/me/authorizations/AUTH-1': { locator: 'AUTH-1', status: 'open' },
      '/me/authorizations/AUTH-1/letter': somePdf,
    },
    'PTY-2': { '/me/authorizations': { authorizations: [] } },
  });

const subjectOf = (service: ServicePort<typeof authorizations>): ServiceSubject<typeof authorizations> => ({
  service,
  member,
  other,
  requests: {
    list: {},
    get: { parameters },
    submit: { body },
    change: { parameters, body },
    replace: { parameters, body },
    remove: { parameters },
    letter: { parameters },
  },
});

const suite = serviceContract(authorizations);

suite({ describe, it }, () => subjectOf(fake()));

describe('fakeService', () => {
  it('stores what is posted below the path, once per idempotency key', async () => {
    const service = fake();
    const post = (idempotencyKey?: string) => service.submit(member, { parameters: {}, query, body, idempotencyKey });
    expect(await post('a')).toEqual(await post('a'));
    expect(await post()).not.toEqual(await post());
    expect(await service.get(member, { parameters: { locator: 'NEW-1' }, query })).toMatchObject({
      value: { value: { procedure: '97110', locator: 'NEW-1' } },
    });
    expect(await service.submit(aMember('PTY-3'), { parameters: {}, query, body })).toEqual(
      err(notFound('authorizations')),
    );
  });

  it('merges a PATCH, replaces with a PUT and removes with a DELETE', async () => {
    const service = fake();
    const read = async () => (await service.get(member, { parameters, query })).map(({ value }) => value);
    await service.change(member, { parameters, query, body });
    expect(await read()).toEqual(ok({ locator: 'AUTH-1', status: 'open', procedure: '97110' }));
    await service.replace(member, { parameters, query, body });
    expect(await read()).toEqual(ok({ procedure: '97110' }));
    expect(await service.remove(member, { parameters, query })).toMatchObject({ value: { status: 204 } });
    expect(await read()).toEqual(err(notFound('authorizations')));
  });

  it('rejects an outdated entity tag', async () => {
    const service = fake();
    const { etag } = await succeeds(service.get(member, { parameters, query }));
    const replace = () => service.replace(member, { parameters, query, body, ifMatch: etag });
    expect(await replace()).toMatchObject({ value: {} });
    expect(await replace()).toEqual(err(preconditionFailed('authorizations')));
  });

  it('fails on demand and records the calls', async () => {
    const service = fake();
    const failure = upstream('authorizations', 'timeout');
    service.failWith(failure);
    expect(await service.list(member, { parameters: {}, query })).toEqual(err(failure));
    expect(service.calls).toEqual([{ operation: 'list', member: 'PTY-1', request: { parameters: {}, query } }]);
  });
});

/** Runs the suite and returns the routes and promises that this service breaks. */
const brokenBy = async (change: (service: ReturnType<typeof fake>) => Partial<ServicePort<typeof authorizations>>) => {
  const broken: string[] = [];
  const tests: Promise<unknown>[] = [];
  const make = () => {
    const service = fake();
    return subjectOf({ ...service, ...change(service) });
  };
  suite(
    {
      describe: (_, run) => run(),
      it: (name, run) =>
        void tests.push(
          run().catch((error: unknown) => {
            expect(error).toBeInstanceOf(BrokenPromise);
            broken.push(name);
          }),
        ),
    },
    make,
  );
  await Promise.all(tests);
  return broken.toSorted();
};

describe('serviceContract', () => {
  it('rejects a service that returns what belongs to another member', async () => {
    const broken = await brokenBy(({ get, list }) => ({
      get: (_, request) => get(member, request),
      list: (_, request) => list(member, request),
    }));
    expect(broken).toEqual(
      expect.arrayContaining([
        'GET /me/authorizations returns nothing of another member',
        'GET /me/authorizations/{locator} fails not-found for another member',
        'GET /me/authorizations/{locator} returns nothing of another member',
      ]),
    );
  });

  it('rejects a service that mixes up members whose calls overlap', async () => {
    const broken = await brokenBy(({ list, letter }) => ({ list: mixingMembers(list), letter: mixingMembers(letter) }));
    expect(broken).toEqual(
      expect.arrayContaining([
        'GET /me/authorizations returns nothing of another member who reads at the same time',
        'GET /me/authorizations/{locator}/letter returns nothing of another member who reads at the same time',
      ]),
    );
  });

  it('rejects a service that ignores the entity tag of a write', async () => {
    const broken = await brokenBy(({ replace, remove }) => ({
      replace: (who, { ifMatch: _, ...request }) => replace(who, request),
      remove: (who, { ifMatch: _, ...request }) => remove(who, request),
    }));
    expect(broken).toEqual([
      'DELETE /me/authorizations/{locator} rejects a write with an entity tag that it has never sent',
      'PUT /me/authorizations/{locator} rejects a write with an entity tag that it has never sent',
    ]);
  });

  it('rejects a service that writes for another member', async () => {
    const broken = await brokenBy(({ replace, remove }) => ({
      replace: (_, request) => replace(member, request),
      remove: (_, request) => remove(member, request),
    }));
    expect(broken).toEqual([
      'DELETE /me/authorizations/{locator} cannot be used by another member to change what a member reads',
      'DELETE /me/authorizations/{locator} fails not-found for another member',
      'PUT /me/authorizations/{locator} cannot be used by another member to change what a member reads',
    ]);
  });

  it('rejects a service whose text and value differ, and one that ignores idempotency keys', async () => {
    expect(
      await brokenBy(({ list }) => ({
        list: (...request) => list(...request).map((response) => ({ ...response, value: {} })),
      })),
    ).toContain('GET /me/authorizations returns JSON, or no content');
    expect(
      await brokenBy(({ submit }) => ({
        submit: (who, { idempotencyKey: _, ...request }) => submit(who, request),
      })),
    ).toContain('POST /me/authorizations is processed once when it is sent twice with the same idempotency key');
  });

  it('rejects a failure that contains the locator of the member', async () => {
    const leak = { ...notFound('authorizations'), detail: 'of PTY-2' };
    expect(
      await brokenBy(({ letter }) => ({ letter: (...request) => letter(...request).mapErr(() => leak) })),
    ).toContain('GET /me/authorizations/{locator}/letter fails not-found for another member');
  });

  it('names an operation for which the subject has no request', async () => {
    const tests = new Map<string, Promise<unknown>>();
    const { list: _, ...requests } = subjectOf(fake()).requests;
    suite({ describe: (__, run) => run(), it: (name, run) => tests.set(name, run().catch(String)) }, () => ({
      ...subjectOf(fake()),
      requests: requests as never,
    }));
    expect(await tests.get('GET /me/authorizations returns JSON, or no content')).toContain(
      'the subject has no request for the operation "list"',
    );
    expect(await tests.get('GET /me/authorizations/{locator} returns JSON, or no content')).toBeUndefined();
  });

  it('rejects a document with another length than announced', async () => {
    const broken = await brokenBy(({ letter }) => ({
      letter: (...request) =>
        letter(...request).map((response) => ({ ...response, headers: { ...response.headers, contentLength: '99' } })),
    }));
    expect(broken).toEqual(['GET /me/authorizations/{locator}/letter returns content with the announced length']);
  });
});
