import { errAsync, ok, okAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fakeClaims } from '../claims/claims.fake.ts';
import { type ClaimsSubject, claimsContract } from '../claims/claims.contract.ts';
import type { ClaimLocator, Claims } from '../claims/claims.port.ts';
import { succeeds } from './assertions.ts';
import { contractSuite } from './contract-suite.ts';
import { generalPromises } from './supervision.ts';
import { brokenBy } from './suite-test.test.support.ts';
import { toJson } from '../shared/json/json.ts';
import { aMember } from '../shared/member.fake.ts';

const good = () => fakeClaims({ 'PTY-1': [{ locator: 'CLM-1' }], 'PTY-2': [] });

const brokenByClaims = (claims: () => Claims) =>
  brokenBy<ClaimsSubject>(claimsContract, () => ({
    claims: claims(),
    member: aMember('PTY-1'),
    claim: 'CLM-1' as ClaimLocator,
    other: aMember('PTY-2'),
    unknown: aMember('PTY-3'),
    unmatched: [['status', 'denied']],
  }));

it('a contract suite names each promise that an adapter breaks, and the reason', async () => {
  const broken = await brokenByClaims(() => ({ ...good(), get: () => okAsync(toJson({ locator: 'CLM-1' })) }));
  expect(broken['hides a claim that belongs to another member']).toBe(
    'The claims contract promises: hides a claim that belongs to another member. ' +
      'Broken: should have failed as not-found, but succeeded\n' +
      'The claims contract promises: returns nothing of one member to another member. ' +
      'Broken: claims.get returned the same data to two members',
  );
  expect(broken['files a submitted draft so that it can be read back']).toContain(
    'the draft\'s amount: expected "12.50"',
  );
});

it('the message of a broken promise omits the cause of an unexpected failure', async () => {
  const cause: Record<string, unknown> = { headers: 'Bearer hunter2' };
  cause['self'] = cause;
  const { 'returns a claim by its locator': message } = await brokenByClaims(() => ({
    ...good(),
    get: () => errAsync({ kind: 'unexpected', cause }),
  }));
  expect(message).toMatch(/Broken: should have succeeded, but failed: unexpected$/);
});

it('a broken promise keeps the error of the adapter as its cause', async () => {
  const thrown = new TypeError('fetch failed');
  const suite = contractSuite<{ readonly port: { call(): void } }>('small', { calls: async ({ port }) => port.call() });
  const tests: (() => Promise<void>)[] = [];
  const call = () => {
    throw thrown;
  };
  suite({ describe: (_, body) => body(), it: (_, body) => tests.push(body) }, () => ({ port: { call } }));
  await expect(tests[0]?.()).rejects.toMatchObject({
    name: 'BrokenPromise',
    message:
      'The small contract promises: returns every failure as a value, and never throws or rejects. ' +
      'Broken: port.call threw: fetch failed',
    cause: { cause: thrown },
  });
});

/** ECMAScript 2026; the compiler's library of the core is older. */
const { asyncDispose, dispose } = Symbol as unknown as { readonly asyncDispose: symbol; readonly dispose: symbol };

/** Runs a suite with one promise on this subject. */
const run = async (subject: object, verify: () => Promise<void>) => {
  const tests: (() => Promise<void>)[] = [];
  const suite = contractSuite<object>('small', { 'keeps it': verify });
  suite({ describe: (_, body) => body(), it: (_, body) => tests.push(body) }, () => subject);
  await tests[0]?.();
};
const breaks = async () => {
  throw new Error('Broken: it');
};

it('a contract suite catches an adapter that returns an unsafe result without a promise', async () => {
  const unsafe = { list: () => ok({ text: '<html>', value: {} }) } as unknown as Claims;
  const broken = await brokenByClaims(() => ({ ...good(), ...unsafe }));
  expect(Object.keys(broken)).toContain(generalPromises.json);
});

describe('the subject of a contract suite', () => {
  const port = { call: () => okAsync(1) };

  it('is disposed of after a test, also after one that fails', async () => {
    const disposed: string[] = [];
    await run({ port, [asyncDispose]: async () => void disposed.push('passed') }, async () => {});
    await expect(run({ port, [dispose]: () => void disposed.push('failed') }, breaks)).rejects.toThrow('it');
    expect(disposed).toEqual(['passed', 'failed']);
  });

  it('fails its test when it cannot be disposed of, unless a promise is broken', async () => {
    const subject = {
      port,
      [asyncDispose]: async () => {
        throw new Error('cannot close');
      },
    };
    await expect(run(subject, async () => {})).rejects.toThrow('cannot close');
    await expect(run(subject, breaks)).rejects.toThrow('The small contract promises: keeps it. Broken: it');
  });

  it('must have a port', async () => {
    await expect(run({ member: aMember() }, async () => {})).rejects.toThrow('The subject has no port');
  });

  it('may have a port that is frozen, or an instance of a class with private fields', async () => {
    class Adapter {
      readonly #value = 1;
      call() {
        return okAsync(this.#value);
      }
    }
    for (const each of [Object.freeze({ ...port }), new Adapter()]) {
      const seen: unknown[] = [];
      const suite = contractSuite<{ readonly port: typeof port }>('small', {
        calls: async (subject) => void seen.push(await succeeds(subject.port.call())),
      });
      expect(await brokenBy(suite, () => ({ port: each }))).toEqual({});
      expect(seen).toEqual([1]);
    }
  });
});
