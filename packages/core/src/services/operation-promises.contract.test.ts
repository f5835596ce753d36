import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import type { FailingSource } from '../contract/failing-source.ts';
import { brokenBy, failed } from '../contract/suite-test.test.support.ts';
import { member, other, unknown } from '../contract/unsafe-operations.test.support.ts';
import { notFound } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { declareService } from './declare-service.ts';
import { serviceContract, type ServiceSubject } from './own-service.contract.ts';
import { fakeService } from './own-service.fake.ts';
import type { ServicePort } from './own-service.port.ts';

const type = 'application/pdf';
const letters = declareService('letters', {
  list: { route: 'GET /me/letters', path: '/members/{partyLocator}/letters' },
  write: { route: 'POST /me/letters', path: '/members/{partyLocator}/letters', type },
  read: { route: 'GET /me/letters/{locator}', path: '/members/{partyLocator}/letters/{locator}', type },
  replace: { route: 'PUT /me/letters/{locator}', path: '/members/{partyLocator}/letters/{locator}' },
});

/** A service whose content counts as open until it is read. Its letters have this many bytes. */
const streamingService = (bytes: number) => {
  const open = new Set<object>();
  const content = () => {
    const stream = {
      async *[Symbol.asyncIterator]() {
        yield new Uint8Array(bytes / 2).fill(1);
        yield new Uint8Array(bytes / 2).fill(2);
        open.delete(stream);
      },
    };
    open.add(stream);
    return { outcome: 'whole', headers: { etag: '"1"', contentLength: String(bytes) }, content: stream } as const;
  };
  const parameters = { locator: 'LETTER-1' };
  const found = <T>(value: () => T, { locator }: { readonly locator: string }, isMember: boolean) =>
    isMember && locator === parameters.locator ? okAsync(value()) : errAsync(notFound('letters'));
  const subject: ServiceSubject<typeof letters> = {
    service: {
      list: (of) => okAsync(toJson({ letters: [of.locator] })),
      write: () => okAsync({ ...content(), outcome: 'created' }),
      read: (of, request) =>
        request.conditions?.ifNoneMatch === '"1"'
          ? okAsync({ outcome: 'not-modified', headers: {} })
          : found(content, request.parameters, of === member),
      replace: (of, request) => found(() => toJson({}), request.parameters, of === member),
    },
    member,
    other,
    unknown,
    requests: {
      list: {},
      write: { body: toJson({ a: 1 }) },
      read: { parameters },
      replace: { parameters, body: toJson({ a: 1 }) },
    },
  };
  return { subject, open };
};

it('the suite of a service reads every content, so that no connection stays in use', async () => {
  const { subject, open } = streamingService(20);
  expect(await brokenBy(serviceContract(letters), () => subject)).toEqual({});
  expect(open.size).toBe(0);
});

const cards = declareService('cards', { get: { route: 'GET /me/card', path: '/members/{partyLocator}/card', type } });

type Card = ServicePort<typeof cards>['get'];

const fileOf = (text: string) => ({
  '/me/card': Uint8Array.from(text, (character) => character.charCodeAt(0)),
});

/** A subject whose two members have these files. */
const cardsOf =
  ([one, another]: readonly [string, string], change: (get: Card) => Card = (get) => get) =>
  () => {
    const fake = fakeService(cards, { 'PTY-1': fileOf(one), 'PTY-2': fileOf(another) });
    const fail: FailingSource['fail'] = (fault) => fake.failWith(failed('cards', fault));
    return { service: { get: change(fake.get) }, member, other, unknown, requests: { get: {} }, fail };
  };

it('the suite of a service passes when files of two members differ only in their first bytes', async () => {
  const subject = cardsOf(['1 membership card', '2 membership card']);
  expect(await brokenBy(serviceContract(cards), subject)).toEqual({});
});

it('the suite of a service catches an adapter that returns parts of one file to all members who have a file', async () => {
  const subject = cardsOf(
    ['membership card of 1', 'membership card of 2'],
    (get) => (of, request) => get(request.conditions?.range === undefined ? of : member, request),
  );
  expect(Object.keys(await brokenBy(serviceContract(cards), subject))).toEqual([
    'GET /me/card returns no part of what another member reads',
  ]);
});
