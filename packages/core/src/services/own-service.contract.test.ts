import { errAsync, okAsync } from 'neverthrow';
import { expect, it } from 'vitest';
import { brokenBy, changing, failed, testSuite, type UnsafeAdapter } from '../contract/suite-test.test.support.ts';
import { canary } from '../contract/supervision.ts';
import { showsInput, unsafeInEveryService } from '../contract/unsafe-adapters.test.support.ts';
import {
  asFirstMember,
  cachedFromSecond,
  failuresAsMissing,
  lastKnown,
  later,
  member,
  missingAsStatus,
  mixingMembers,
  other,
  unknown,
} from '../contract/unsafe-operations.test.support.ts';
import { contentOf } from '../documents/documents.contract.ts';
import { somePdf } from '../documents/documents.fake.ts';
import type { DocumentResponse } from '../documents/documents.port.ts';
import { notFound } from '../shared/failure.ts';
import { noContent, toJson } from '../shared/json/json.ts';
import type { Member } from '../shared/member.ts';
import { declareService } from './declare-service.ts';
import { serviceContract, type ServiceSubject } from './own-service.contract.ts';
import { fakeService } from './own-service.fake.ts';
import type { ServicePort } from './own-service.port.ts';

const base = '/members/{partyLocator}/visits';
const one = '/me/visits/{locator}';
const visits = declareService('visits', {
  list: { route: 'GET /me/visits', path: base },
  get: { route: `GET ${one}`, path: `${base}/{locator}` },
  book: { route: 'POST /me/visits', path: base },
  move: { route: `PATCH ${one}`, path: `${base}/{locator}` },
  replace: { route: `PUT ${one}`, path: `${base}/{locator}` },
  cancel: { route: `DELETE ${one}`, path: `${base}/{locator}` },
  report: { route: `GET ${one}/report`, path: `${base}/{locator}/report`, type: 'application/pdf' },
});

type Visits = ServicePort<typeof visits>;
type Subject = ServiceSubject<typeof visits>;
type Book = Visits['book'];
type Report = Visits['report'];

async function* chunks(...all: readonly Uint8Array[]) {
  yield* all;
}

const bytes = (text: string) => chunks(Uint8Array.from(text, (character) => character.charCodeAt(0)));

const parameters = { locator: 'VISIT-1' };
const body = toJson({ date: '2026-01-02', note: canary });

/** The fake, whose list contains what was booked. */
const subject = (): Subject => {
  const fake = fakeService(visits, {
    'PTY-1': { '/me/visits/VISIT-1': { locator: 'VISIT-1' }, '/me/visits/VISIT-1/report': somePdf.subarray(0, 40) },
    'PTY-2': {},
  });
  const booked = new Map<string, object[]>([
    ['PTY-1', [{ locator: 'VISIT-1' }]],
    ['PTY-2', []],
  ]);
  const service: Visits = {
    ...fake,
    list: (of, request) =>
      fake.list(of, request).orElse((failure) => {
        const own = booked.get(of.locator);
        return own && failure.kind === 'not-found' ? okAsync(toJson({ visits: own })) : errAsync(failure);
      }),
    book: (of, request) =>
      fake.book(of, request).andTee(({ value }) => {
        const own = booked.get(of.locator);
        if (own && !own.includes(value as object)) own.push(value as object);
      }),
  };
  return {
    service,
    member,
    other,
    unknown,
    requests: {
      list: {},
      get: { parameters },
      book: { body },
      move: { parameters, body },
      replace: { parameters, body },
      cancel: { parameters },
      report: { parameters },
    },
    fail: (fault) => fake.failWith(failed('visits', fault)),
  };
};

const withService = changing<'service', Subject>('service');

/** The subject whose list never changes, so that only responses show what was processed. */
const withoutList = withService(({ list }) => ({
  list: (of, request) => list(of, request).map(() => toJson({ owner: of.locator })),
}));

/** Keeps the response of each idempotency key under this name. */
const keepingResponses =
  (nameOf: (of: Member, key: string) => string) =>
  (book: Book): Book => {
    const known = new Map<string, ReturnType<Book>>();
    return (of, request) => {
      const { idempotencyKey: key } = request;
      if (key === undefined) return book(of, request);
      const response = known.get(nameOf(of, key)) ?? book(of, request);
      known.set(nameOf(of, key), response);
      return response;
    };
  };

/** Looks an idempotency key up, and processes the request once the event loop has turned. */
const racingKeys = (book: Book): Book => {
  const known = new Map<string, ReturnType<Book>>();
  return (of, { idempotencyKey, ...request }) => {
    const key = `${of.locator} ${idempotencyKey}`;
    const earlier = known.get(key);
    if (earlier && idempotencyKey !== undefined) return earlier;
    return later(() => book(of, request)).andTee((response) => known.set(key, okAsync(response)));
  };
};

/** Processes a repeated key again, and reports the first response. */
const hiddenDuplicates = (book: Book): Book => {
  const keeping = keepingResponses((of, key) => `${of.locator} ${key}`)(book);
  const seen = new Set<string>();
  return (of, request) => {
    const key = `${of.locator} ${request.idempotencyKey}`;
    const { idempotencyKey: _, ...again } = request;
    if (seen.has(key)) void book(of, again).unwrapOr(undefined);
    seen.add(key);
    return keeping(of, request);
  };
};

/** Keeps the content of responses under this name for every member, from this read on. */
const keepingContent =
  (fromRead: number, nameOf: (request: Parameters<Report>[1]) => string | undefined) =>
  (report: Report): Report => {
    const reads = new Map<string, number>();
    const kept = new Map<string, DocumentResponse>();
    return (of, request) => {
      const name = nameOf(request);
      const known = name === undefined ? undefined : kept.get(name);
      if (known) return okAsync(known);
      return report(of, request).map(async (response) => {
        if (!('content' in response) || name === undefined) return response;
        const content = await contentOf(response);
        const whole = { ...response, content: { [Symbol.asyncIterator]: () => chunks(content) } };
        reads.set(name, (reads.get(name) ?? 0) + 1);
        if (reads.get(name)! >= fromRead) kept.set(name, whole);
        return whole;
      });
    };
  };

const unsafe: readonly UnsafeAdapter<Subject>[] = [
  ...unsafeInEveryService<'service', Subject>('service'),
  showsInput<'service', Subject>('service'),
  [
    "returns one member's list to every member",
    withService(({ list }) => ({ list: asFirstMember(list) })),
    'GET /me/visits returns nothing of another member',
  ],
  [
    "keeps one member's list for every member, from the second read on",
    withService(({ list }) => ({ list: cachedFromSecond(list, (_, request) => JSON.stringify(request)) })),
    'GET /me/visits returns nothing of another member',
  ],
  [
    "keeps one member's resource for every member, from the second read on",
    withService(({ get }) => ({ get: cachedFromSecond(get, (_, request) => JSON.stringify(request)) })),
    'GET /me/visits/{locator} returns nothing of another member',
  ],
  [
    "keeps one member's file for every member, from the second read on",
    withService(({ report }) => ({ report: keepingContent(2, (request) => JSON.stringify(request))(report) })),
    'GET /me/visits/{locator}/report returns nothing of another member',
  ],
  [
    "keeps parts of one member's file for every member, from the second read on",
    withService(({ report }) => ({
      report: keepingContent(2, ({ conditions }) => conditions?.range)(report),
    })),
    'GET /me/visits/{locator}/report returns no part of what another member reads',
  ],
  [
    'returns the first part of a file that was read to every member',
    withService(({ report }) => ({
      report: keepingContent(1, ({ conditions }) => conditions?.range && 'part')(report),
    })),
    'GET /me/visits/{locator}/report returns no part of what another member reads',
  ],
  [
    'returns one part of a file for every range',
    withService(({ report }) => ({
      report: (of, request) =>
        report(
          of,
          request.conditions?.range === undefined ? request : { ...request, conditions: { range: 'bytes=0-9' } },
        ),
    })),
    'GET /me/visits/{locator}/report returns the requested range of its content, or no part',
  ],
  [
    'returns other bytes than the range',
    withService(({ report }) => ({
      report: (...args) =>
        report(...args).map((response) =>
          response.outcome === 'part' ? { ...response, content: bytes('%PDF-1.7 a') } : response,
        ),
    })),
    'GET /me/visits/{locator}/report returns the requested range of its content, or no part',
  ],
  [
    'responds with a status of failure',
    withService(({ list }) => ({ list: (...args) => list(...args).map((json) => ({ ...json, status: 500 as 200 })) })),
    'GET /me/visits returns JSON, or no content',
  ],
  [
    'returns a part of a file only',
    withService(({ report }) => ({
      report: (...args) =>
        report(...args).map((response) =>
          response.outcome === 'whole' ? { ...response, outcome: 'part' as const } : response,
        ),
    })),
    'GET /me/visits/{locator}/report returns content with the announced length',
  ],
  [
    'refuses both of two requests that overlap',
    withService(({ book }) => {
      let open = 0;
      return {
        book: (of, request) => {
          open += 1;
          return later(() => (open > 1 ? errAsync(notFound('visits')) : book(of, request))).andTee(() => (open = 0));
        },
      };
    }),
    'POST /me/visits is processed once when it is sent twice at the same time with the same idempotency key',
  ],
  [
    'reads the list of another member when calls overlap',
    withService(({ list }) => ({ list: mixingMembers(list) })),
    'GET /me/visits returns nothing of another member who reads at the same time',
  ],
  [
    'reads the file of another member when calls overlap',
    withService(({ report }) => ({ report: mixingMembers(report) })),
    'GET /me/visits/{locator}/report returns nothing of another member who reads at the same time',
  ],
  [
    "returns another member's resource",
    withService(({ get }) => ({ get: asFirstMember(get) })),
    'GET /me/visits/{locator} fails not-found for another member',
  ],
  [
    'fails with status 404 of the service for what does not exist',
    withService(({ get }) => ({ get: missingAsStatus('visits', get) })),
    'GET /me/visits/{locator} fails not-found for what does not exist',
  ],
  [
    'returns the list of the first member to an unknown member',
    withService(({ list }) => ({ list: (of, request) => list(of === unknown ? member : of, request) })),
    'GET /me/visits has nothing for an unknown member, and does not report that as a failure of the source',
  ],
  [
    'fails with status 404 of the service for an unknown member',
    withService(({ list }) => ({ list: missingAsStatus('visits', list) })),
    'GET /me/visits has nothing for an unknown member, and does not report that as a failure of the source',
  ],
  [
    "changes another member's resource",
    withService(({ move }) => ({ move: asFirstMember(move) })),
    'PATCH /me/visits/{locator} cannot be used by another member to change what a member reads',
  ],
  [
    "deletes another member's resource, and fails not-found",
    withService(({ cancel }) => ({
      cancel: (of, request) =>
        cancel(member, request).andThen((done) => (of === other ? errAsync(notFound('visits')) : okAsync(done))),
    })),
    'DELETE /me/visits/{locator} cannot be used by another member to change what a member reads',
  ],
  [
    'reports a resource as deleted without deleting it',
    withService(() => ({ cancel: () => okAsync({ ...noContent, status: 204 as const }) })),
    'DELETE /me/visits/{locator} changes what the member reads',
  ],
  [
    'returns what it read before when its source is down',
    withService(({ list }) => ({ list: lastKnown(list) })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'books a visit for both members',
    withService(({ book }) => ({
      book: (of, request) =>
        book(of, request).andThen((done) => book(of === member ? other : member, request).map(() => done)),
    })),
    'POST /me/visits changes nothing that another member reads',
  ],
  [
    'ignores the entity tag of a write',
    withService(({ replace }) => ({ replace: (of, { ifMatch: _, ...request }) => replace(of, request) })),
    'PUT /me/visits/{locator} rejects a write with an entity tag that it has never sent',
  ],
  [
    'ignores the entity tag of a DELETE',
    withService(({ cancel }) => ({ cancel: (of, { ifMatch: _, ...request }) => cancel(of, request) })),
    'DELETE /me/visits/{locator} rejects a write with an entity tag that it has never sent',
  ],
  [
    'ignores idempotency keys',
    withService(({ book }) => ({ book: (of, { idempotencyKey: _, ...request }) => book(of, request) })),
    'POST /me/visits is processed once when it is sent twice with the same idempotency key',
  ],
  [
    'processes a repeated idempotency key again, but reports the first response',
    withService(({ book }) => ({ book: hiddenDuplicates(book) })),
    'POST /me/visits is processed once when it is sent twice with the same idempotency key',
  ],
  [
    'processes an idempotency key twice when both requests overlap',
    withService(({ book }) => ({ book: racingKeys(book) })),
    'POST /me/visits is processed once when it is sent twice at the same time with the same idempotency key',
  ],
  [
    'processes only the first of all idempotency keys of a member',
    withService(({ book }) => ({ book: keepingResponses(({ locator }) => locator)(book) })),
    'POST /me/visits is processed again with another idempotency key',
  ],
  [
    'shares an idempotency key between members',
    withService(({ book }) => ({ book: keepingResponses((_, key) => key)(book) })),
    'POST /me/visits is processed for each of two members who use the same idempotency key',
  ],
  [
    'shares an idempotency key between members, and lists nothing that was booked',
    (good) => ({
      ...withService(({ book }) => ({ book: keepingResponses((_, key) => key)(book) }))(withoutList(good)),
      otherBodies: { book: toJson({ date: '2026-02-03' }) },
    }),
    'POST /me/visits is processed for each of two members who use the same idempotency key',
  ],
  [
    'announces another length than that of the content',
    withService(({ report }) => ({
      report: (...args) =>
        report(...args).map((response) => ({ ...response, headers: { ...response.headers, contentLength: '99' } })),
    })),
    'GET /me/visits/{locator}/report returns content with the announced length',
  ],
  [
    'ignores If-None-Match',
    withService(({ report }) => ({ report: (of, { conditions: _, ...request }) => report(of, request) })),
    'GET /me/visits/{locator}/report returns not-modified for a matching entity tag',
  ],
  [
    'reports a source that is down as not-found',
    withService(({ get }) => ({ get: failuresAsMissing('visits', get) })),
    'fails as unreachable when its source refuses connections',
  ],
  [
    'reports a visit as booked when the source is slow',
    withService(({ book }) => ({ book: (...args) => book(...args).orElse(() => okAsync(body)) })),
    'fails as timeout when its source does not respond in time',
  ],
];

testSuite<Subject>('a declared service', serviceContract(visits), subject, unsafe, [
  ['lists nothing that was booked', withoutList],
  [
    'has an empty list for an unknown member',
    withService(({ list }) => ({
      list: (of, request) => (of === unknown ? okAsync(toJson({ visits: [] })) : list(of, request)),
    })),
  ],
  [
    'announces no length and no entity tag of a file',
    withService(({ report }) => ({
      report: (...args) =>
        report(...args).map(({ headers: { contentLength: _, etag: __, ...headers }, ...response }) => ({
          ...response,
          headers,
        })),
    })),
  ],
  [
    'ignores ranges',
    withService(({ report }) => ({
      report: (of, { conditions: { range: _, ...conditions } = {}, ...request }) =>
        report(of, { ...request, conditions }),
    })),
  ],
  [
    'creates a file whenever it is read',
    withService(({ report }) => {
      let reads = 0;
      return {
        report: (...args) =>
          report(...args).map((response) =>
            'content' in response ? { outcome: 'whole', headers: {}, content: bytes(`%PDF-${++reads}`) } : response,
          ),
      };
    }),
  ],
  [
    'has no entity tags',
    withService(({ get, replace, move }) => ({
      get: (...args) => get(...args).map(({ etag: _, ...json }) => json),
      replace: (of, { ifMatch: _, ...request }) => replace(of, request),
      move: (of, { ifMatch: _, ...request }) => move(of, request),
    })),
  ],
  [
    'shows different bodies in its responses',
    (good) => ({ ...good, otherBodies: { book: toJson({ date: '2026-02-03' }) } }),
  ],
  [
    'keeps its data between tests, with new idempotency keys',
    (() => {
      let keys = 0;
      return (good: Subject) => ({ ...good, fresh: () => `key-${++keys}` });
    })(),
  ],
  [
    'refuses an idempotency key that is in use',
    withService(({ book }) => {
      const inUse = new Set<string>();
      const refusing: Book = (of, request) => {
        const key = `${of.locator} ${request.idempotencyKey}`;
        if (request.idempotencyKey !== undefined && inUse.has(key)) return errAsync(notFound('visits'));
        inUse.add(key);
        return later(() => book(of, request)).andTee(() => inUse.delete(key));
      };
      return { book: refusing };
    }),
  ],
  [
    'stores only a state, and responds to every request in the same words',
    withService(({ list, book }) => {
      const states = new Map<string, string>();
      return {
        book: (of, request) =>
          book(of, request).map(() => {
            states.set(of.locator, 'booked');
            return { ...toJson({ status: 'received' }), status: 202 };
          }),
        list: (of, request) =>
          list(of, request).map(() => toJson({ owner: of.locator, state: states.get(of.locator) ?? 'none' })),
      };
    }),
  ],
]);

it('the suite of a declared service names an operation for which the subject has no request', async () => {
  const broken = await brokenBy(serviceContract(visits), () => {
    const { list: _, ...requests } = subject().requests;
    return { ...subject(), requests: requests as never };
  });
  expect(broken['GET /me/visits returns JSON, or no content']).toContain(
    'the subject has no request for the operation "list"',
  );
  expect(broken).not.toHaveProperty(['GET /me/visits/{locator} returns JSON, or no content']);
});
