import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { succeeds } from './assertions.ts';
import { generalPromises, supervise } from './supervision.ts';

const settings = {
  deadlineMs: 60_000,
  reads: ['list'],
  secrets: ['postgres://db.internal:5432'],
  returnsTokens: false,
};
const member = aMember('PTY-1', 'token.of.PTY-1');
const other = aMember('PTY-2', 'token.of.PTY-2');

const supervised = <Port extends object>(port: Port) => supervise({ port, member, other }, settings);

const promisesOf = async (end: ReturnType<typeof supervise>['end']) => (await end()).map(({ promise }) => promise);

async function* chunks() {
  yield 1;
  yield 2;
}

describe('a supervised port', () => {
  it('is also checked in calls whose result is not awaited', async () => {
    const { subject, end } = supervised({ get: () => okAsync({ text: '<html>', value: {} }) });
    void subject.port.get();
    expect(await promisesOf(end)).toEqual([generalPromises.json]);
  });

  it('passes plain values, getters, functions without a result and plain promises on', async () => {
    const port = {
      limit: 3,
      get pending() {
        return 7;
      },
      release: () => 'done',
      take: () => Promise.resolve({ isAllowed: true }),
      nothing: () => okAsync(null),
    };
    const { subject, end } = supervised(port);
    expect([subject.port.limit, subject.port.pending, subject.port.release()]).toEqual([3, 7, 'done']);
    expect(['limit' in subject.port, 'other' in subject.port]).toEqual([true, false]);
    const taken = subject.port.take();
    expect(taken).toBeInstanceOf(Promise);
    expect(await taken).toEqual({ isAllowed: true });
    expect((await subject.port.nothing()).isOk()).toBe(true);
    expect(await end()).toEqual([]);
  });

  it('is compared between members only in its reads', async () => {
    const port = {
      list: (_: unknown) => okAsync(toJson({ plan: 'gold' })),
      log: (_: unknown) => okAsync(toJson(['x'])),
    };
    const { subject, end } = supervised(port);
    await subject.port.log(member);
    expect(await end()).toEqual([]);
    await subject.port.list(member);
    expect(new Set(await promisesOf(end))).toEqual(new Set([generalPromises.members]));
  });

  it.each(['while', 'after'] as const)('is compared with a call of another member %s it runs', async (when) => {
    const [own, others] = [toJson({ plan: 'gold' }), toJson({ plan: 'silver' })];
    let calls = 0;
    // The first call is of the member, the second one runs at the same time, and the third one afterwards.
    const list = (_: unknown) =>
      okAsync([own, when === 'while' ? own : others, when === 'after' ? own : others][calls++]);
    const { subject, end } = supervised({ list });
    await subject.port.list(member);
    expect([calls, await promisesOf(end)]).toEqual([3, [generalPromises.members]]);
  });

  it('may fail in a read of another member', async () => {
    const port = { list: (of: unknown) => (of === member ? okAsync(toJson({ plan: 'gold' })) : errAsync('no')) };
    const { subject, end } = supervised(port);
    expect((await subject.port.list(member)).isOk()).toBe(true);
    expect(await end()).toEqual([]);
  });

  it('shows no secret of its subject in a failure', async () => {
    const { subject, end } = supervised({ get: () => errAsync({ cause: new Error('db.internal:5432 is down') }) });
    await subject.port.get();
    const violations = await end();
    expect(violations.map(({ promise, message }) => [promise, message])).toEqual([
      [generalPromises.failures, 'port.get: a secret of the subject is in failure.cause.message'],
    ]);
  });

  it.each([
    ['result.headers.x-debug', { outcome: 'whole', headers: { 'x-debug': 'Bearer token.of.PTY-1' } }],
    ['result.debug', { ...toJson({ a: 1 }), debug: 'token.of.PTY-2' }],
    ['result.claim.text', { outcome: 'created', claim: toJson({ token: 'token.of.PTY-1' }) }],
    ['result.0', ['token.of.PTY-1']],
    ['result', 'token.of.PTY-1'],
  ])('shows no token of its subject in %s', async (path, result) => {
    const { subject, end } = supervised({ get: () => okAsync(result) });
    await subject.port.get();
    const violations = await end();
    expect(violations.map(({ promise, message }) => [promise, message])).toEqual([
      [generalPromises.results, `port.get: a member's token is in ${path}`],
    ]);
  });

  it('may show a token in a result if that is what it is for', async () => {
    const port = { issue: () => okAsync({ authorization: 'Bearer token.of.PTY-1' }) };
    const { subject, end } = supervise({ port, member }, { ...settings, returnsTokens: true });
    await subject.port.issue();
    expect(await end()).toEqual([]);
  });

  it('closes the stream of a result that is not read to its end', async () => {
    let isClosed = false;
    async function* content() {
      try {
        yield* chunks();
      } finally {
        isClosed = true;
      }
    }
    const { subject } = supervised({ get: () => okAsync({ outcome: 'whole', content: content() }) });
    const { content: read } = await succeeds(subject.port.get());
    for await (const chunk of read) if (chunk === 1) break;
    expect(isClosed).toBe(true);
  });

  it('may return a stream that cannot be closed', async () => {
    const content: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => chunks().next() }) };
    const { subject, end } = supervised({ get: () => okAsync({ content }) });
    const { content: read } = await succeeds(subject.port.get());
    for await (const chunk of read) if (chunk === 1) break;
    expect(await end()).toEqual([]);
  });
});

it('a subject of members, arrays and functions has no port', () => {
  expect(() => supervise({ member, secrets: ['x'], fresh: () => 1, none: null }, settings)).toThrow('has no port');
});
