import { err, ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { succeeds } from '../contract/assertions.ts';
import { somePdf } from '../documents/documents.fake.ts';
import { CoreSignal } from '../runtime/signal.ts';
import { notFound, preconditionFailed, upstream } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { declareService } from './declare-service.ts';
import { fakeService } from './own-service.fake.ts';

const base = '/members/{partyLocator}/authorizations';
const authorizations = declareService('authorizations', {
  list: { route: 'GET /me/authorizations', path: base },
  get: { route: 'GET /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  submit: { route: 'POST /me/authorizations', path: base },
  change: { route: 'PATCH /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  replace: { route: 'PUT /me/authorizations/{locator}', path: `${base}/{locator}` as const },
  letter: {
    route: 'GET /me/authorizations/{locator}/letter',
    path: `${base}/{locator}/letter` as const,
    type: 'application/pdf',
  },
  remove: { route: 'DELETE /me/authorizations/{locator}', path: `${base}/{locator}` as const },
});

const member = aMember('PTY-1');
const parameters = { locator: 'AUTH-1' };
const query = [] as const;
const body = toJson({ procedure: '97110' });

const fake = () =>
  fakeService(authorizations, {
    'PTY-1': {
      '/me/authorizations': { authorizations: [{ locator: 'AUTH-1' }] },
      '/me/authorizations/AUTH-1': { locator: 'AUTH-1', status: 'open' },
    },
  });

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

  it('merges objects in objects and removes what is null, as a JSON Merge Patch', async () => {
    const record = { locator: 'AUTH-1', note: 'old', address: { zip: '1', city: 'Springfield' } };
    const service = fakeService(authorizations, { 'PTY-1': { '/me/authorizations/AUTH-1': record } });
    await service.change(member, { parameters, query, body: toJson({ note: null, address: { zip: '2' } }) });
    expect(await service.get(member, { parameters, query })).toMatchObject({
      value: { text: JSON.stringify({ locator: 'AUTH-1', address: { zip: '2', city: 'Springfield' } }) },
    });
  });

  it('fails a streamed response whose signal is aborted', async () => {
    const records = { '/me/authorizations/AUTH-1/letter': somePdf };
    const service = fakeService(authorizations, { 'PTY-1': records });
    const signal = new CoreSignal();
    signal.abort();
    expect(await service.letter(member, { parameters, query, signal })).toEqual(
      err(upstream('authorizations', 'unreachable')),
    );
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
