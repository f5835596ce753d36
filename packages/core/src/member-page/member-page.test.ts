import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeRateLimiter } from '../runtime/rate-limiter/rate-limiter.fake.ts';
import { upstream } from '../shared/failure.ts';
import { type Json, toJson, withBytes } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';
import { maxPageBytes, type PartRead, readMemberPage, type SettledPart } from './member-page.ts';
import { memberPageText, pageDoneText, partEventText } from './member-page-text.ts';

const member = aMember('PTY-1');

const service = 'claims';

const part = (name: string): PartRead => ({
  name,
  service,
  read: ({ locator }) => okAsync(toJson({ name, locator })),
});

/** The parts of a page, settled. */
const settled = (page: ReturnType<ReturnType<typeof readMemberPage>>): Promise<SettledPart[]> =>
  page.match(
    (parts) => Promise.all(parts),
    (failure) => {
      throw new Error(JSON.stringify(failure));
    },
  );

const tooLarge = (name: string) => ({ name, result: err(upstream(`${name}s`, 'too-large')) });

const wholePage = new Uint8Array(maxPageBytes);

/** A body of this size that must not be decoded. */
const body = (size: number): Json => {
  const json = {
    value: undefined,
    get text(): string {
      throw new Error('The body was decoded.');
    },
  };
  return withBytes(json, wholePage.subarray(0, size));
};

describe('readMemberPage', () => {
  it('reads every part by default, and those of include in its order', async () => {
    const read = readMemberPage([part('a'), part('b'), part('c')]);
    for (const [query, names] of [
      ['', ['a', 'b', 'c']],
      ['include=c,a', ['c', 'a']],
    ] as const)
      expect(await settled(read(member, query))).toEqual(
        names.map((name) => ({ name, result: ok(toJson({ name, locator: 'PTY-1' })) })),
      );
  });

  it.each(['include=', 'include=d', 'include=a,a', 'include=a&include=a', 'x=1', 'include=toString'])(
    'reads nothing and fails invalid for a wrong query: %s',
    (query) => {
      let reads = 0;
      const counted: PartRead = { name: 'a', service, read: () => okAsync(toJson(++reads)) };
      expect(readMemberPage([counted])(member, query)).toMatchObject({ error: { kind: 'invalid' } });
      expect(reads).toBe(0);
    },
  );

  it('names at most 20 wrong names, each cut to 64 characters', () => {
    const names = Array.from({ length: 30 }, (_, at) => `${at}${'x'.repeat(100)}`).join(',');
    const refused = readMemberPage([part('a')])(member, `include=${names}`);
    expect(refused).toMatchObject({ error: { detail: expect.stringMatching(/^.{1,1400}$/) as string } });
  });

  it('settles each part on its own: a part that waits or fails does not keep another one', async () => {
    const release = Promise.withResolvers<void>();
    const failure = upstream('claims', 'timeout');
    const read = readMemberPage([
      { name: 'slow', service, read: () => new ResultAsync(release.promise.then(() => ok(toJson(1)))) },
      { name: 'failed', service, read: () => errAsync(failure) },
      part('a'),
    ]);
    const [slow, failed, a] = read(member, '').unwrapOr([]);
    expect([(await failed!).result, (await a!).result.isOk()]).toMatchObject([{ error: failure }, true]);
    release.resolve();
    expect((await slow!).result.isOk()).toBe(true);
  });

  it('turns an exception and a rejection of a read into an unexpected failure of its part', async () => {
    const cause = new Error('a bug');
    const read = readMemberPage([
      {
        name: 'throws',
        service,
        read: () => {
          throw cause;
        },
      },
      { name: 'rejects', service, read: () => new ResultAsync(Promise.reject(cause)) },
    ]);
    for (const { result } of await settled(read(member, '')))
      expect(result).toMatchObject({ error: { kind: 'unexpected', cause } });
  });

  it('counts each part but the first one, and does not read the parts beyond the limit', async () => {
    const limiter = fakeRateLimiter({ requests: 2 });
    const read = readMemberPage(['a', 'b', 'c', 'd'].map(part), limiter);
    const results = (await settled(read(member, ''))).map(({ result }) => result.isOk());
    expect([results, limiter.taken]).toEqual([
      [true, true, true, false],
      ['PTY-1', 'PTY-1', 'PTY-1'],
    ]);
    expect((await settled(read(member, 'include=a,b')))[1]).toMatchObject({
      result: { error: { kind: 'rate-limited', retryAfterSeconds: 60 } },
    });
  });

  describe('with bodies beyond the limit of a page', () => {
    it('fails the parts that do not fit, in the order in which they settle, and keeps the others', async () => {
      const sizes = { large: maxPageBytes - 12, first: 10, same: 10, small: 2, last: 1 };
      const releases: Record<string, () => void> = {};
      const reads = Object.entries(sizes).map(([name, size]): PartRead => {
        const { promise, resolve } = Promise.withResolvers<void>();
        releases[name] = resolve;
        return { name, service: `${name}s`, read: () => new ResultAsync(promise.then(() => ok(body(size)))) };
      });
      const page: readonly Promise<SettledPart>[] = readMemberPage(reads)(member, '').unwrapOr([]);
      for (const name of ['first', 'large', 'same', 'small', 'last']) {
        releases[name]!();
        await page[reads.findIndex((one) => one.name === name)];
      }
      const [large, first, same, small, last] = await Promise.all(page);
      expect([large, first, small].map((one) => one?.result.isOk())).toEqual([true, true, true]);
      expect([same, last]).toEqual([tooLarge('same'), tooLarge('last')]);
    });

    it('counts bytes of UTF-8, also of a body whose bytes are not known', async () => {
      for (const [left, isOk] of [
        [10, true],
        [9, false],
      ] as const) {
        const bodies = { a: body(maxPageBytes - left), b: { text: '"é€🦷"'.slice(1), value: undefined } };
        const page = readMemberPage(
          Object.entries(bodies).map(([name, json]) => ({ name, service: `${name}s`, read: () => okAsync(json) })),
        );
        expect((await settled(page(member, '')))[1]).toEqual(
          isOk ? { name: 'b', result: ok(bodies.b) } : tooLarge('b'),
        );
      }
    });

    it('counts each page on its own', async () => {
      const page = readMemberPage([{ name: 'a', service, read: () => okAsync(body(maxPageBytes)) }]);
      for (let count = 0; count < 2; count++)
        expect((await settled(page(member, ''))).map(({ result }) => result.isOk())).toEqual([true]);
    });
  });

  it('throws for two parts with one name, so that none is lost', () => {
    expect(() => readMemberPage([part('a'), part('a')])).toThrow(TypeError);
  });
});

describe('the text of a page', () => {
  const parts = [
    { name: 'a', status: 200, body: '{"n":12345678901234567890}' },
    { name: 'b', status: 204 },
    { name: 'c', status: 502, problem: '{"code":"upstream-failure"}' },
  ];

  it('has the bodies and problems as they are written', () => {
    expect(memberPageText(parts)).toBe(
      '{"partial":true,"parts":{"a":{"status":200,"body":{"n":12345678901234567890}},"b":{"status":204},"c":{"status":502,"problem":{"code":"upstream-failure"}}}}',
    );
    expect(parts.map(partEventText)).toEqual([
      '{"name":"a","status":200,"body":{"n":12345678901234567890}}',
      '{"name":"b","status":204}',
      '{"name":"c","status":502,"problem":{"code":"upstream-failure"}}',
    ]);
  });

  it('is partial only if a part failed', () => {
    expect([pageDoneText(parts), pageDoneText(parts.slice(0, 2)), memberPageText([])]).toEqual([
      '{"partial":true}',
      '{"partial":false}',
      '{"partial":false,"parts":{}}',
    ]);
  });
});
