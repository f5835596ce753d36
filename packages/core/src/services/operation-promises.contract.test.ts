import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { brokenBy } from '../contract/suite-test.test.support.ts';
import { member, other, unknown } from '../contract/unsafe-operations.test.support.ts';
import { notFound } from '../shared/failure.ts';
import { toJson } from '../shared/json/json.ts';
import { declareService } from './declare-service.ts';
import { serviceContract, type ServiceSubject } from './own-service.contract.ts';

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
