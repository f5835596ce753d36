import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '@portico/core';
import { type Fault, type Sandbox, startSandbox } from '@portico/sandbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandHere } from './command-here.ts';

let sandbox: Sandbox;
let env: Readonly<Record<string, string>>;
const folder = mkdtempSync(join(tmpdir(), 'portico-contract-'));
const report = join(folder, 'report.xml');

beforeAll(async () => {
  sandbox = await startSandbox();
  env = {
    PORTICO_CONTRACT_TOKEN: await sandbox.token('member-a'),
    PORTICO_CONTRACT_OTHER_TOKEN: await sandbox.token('member-c'),
    PORTICO_CONTRACT_UNKNOWN_TOKEN: await sandbox.identity.mint({ sub: 'stranger', partyLocator: 'PTY-9999' }),
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await sandbox.close();
});

const known: Readonly<Record<ServiceName, readonly string[]>> = {
  eligibility: ['--coverage', 'COV-1001', '--accumulators', '1594'],
  claims: ['--resource', 'CLM-1001-01', '--unmatched', 'status=none'],
  documents: ['--resource', 'DOC-EOB-1001-05', '--unmatched', 'type=none'],
  policy: ['--profile', 'PTY-1001'],
  notifications: [],
  consent: [],
};

/** Tests a service of the sandbox while it has this fault. */
const test = async (service: ServiceName, fault: Fault | null) => {
  const { url, setFault } = sandbox.services[service];
  await setFault(fault);
  try {
    const limit = isSlow(fault) ? ['--timeout', '200'] : ['--timeout', '60000'];
    const args = ['contract', service, '--url', url, ...known[service], '--write', ...limit, '--junit', report];
    const output = await commandHere(args, env);
    const xml = readFileSync(report, 'utf8');
    return { ...output, xml, broken: namesOf(xml, '<failure'), skipped: namesOf(xml, '<skipped') };
  } finally {
    await setFault(null);
  }
};

const isSlow = (fault: Fault | null) => fault?.kind === 'black-hole' || fault?.kind === 'drip';

const namesOf = (xml: string, outcome: string): readonly string[] =>
  xml
    .split('\n')
    .filter((line) => line.includes(outcome))
    .map((line) => /name="([^"]*)" time/.exec(line)?.[1]?.replaceAll('&quot;', '"') ?? '');

/** First preferences cannot be undone, and the command has no query that excludes something. */
const skippedNotifications = [
  'stores the first preferences of a member',
  'does not change the preferences of another member',
  'applies the query of the notifications',
  'applies the query of the log',
  'keeps the preferences of two members apart when their calls overlap',
];

describe('portico contract, for the services of the sandbox', () => {
  it.each(Object.keys(known) as ServiceName[])('keeps the contract of %s', async (service) => {
    const { exitCode, broken, skipped } = await test(service, null);

    expect({ exitCode, broken, skipped }).toEqual({
      exitCode: 0,
      broken: [],
      skipped: service === 'notifications' ? skippedNotifications : [],
    });
    // Nothing of the first run breaks the second one.
    expect((await test(service, null)).exitCode).toBe(0);
  });
});

type Row = readonly [service: ServiceName, fault: Fault, ...promises: readonly [string, ...string[]]];

const incorrect: readonly Row[] = [
  ['eligibility', { kind: 'first-member' }, "returns the member's own coverage"],
  ['eligibility', { kind: 'error-for-missing' }, 'fails not-found for an unknown member'],
  [
    'claims',
    { kind: 'first-member' },
    "lists the member's own claims and no other member's",
    'hides a claim that belongs to another member',
  ],
  ['claims', { kind: 'ignore-query' }, 'applies the query of a list'],
  [
    'claims',
    { kind: 'ignore-idempotency-key' },
    'files a draft once when it is submitted twice with the same idempotency key',
  ],
  ['claims', { kind: 'lost-writes' }, 'files a submitted draft so that it can be read back'],
  ['claims', { kind: 'error-for-missing' }, 'fails not-found for a claim that does not exist'],
  ['documents', { kind: 'first-member' }, 'hides a document that belongs to another member'],
  ['documents', { kind: 'ignore-query' }, 'applies the query of a list'],
  [
    'documents',
    { kind: 'ignore-conditions' },
    'returns the requested range of a document',
    'returns not-modified for a matching entity tag',
  ],
  ['documents', { kind: 'error-for-missing' }, 'fails not-found for a document that does not exist'],
  ['policy', { kind: 'first-member' }, "returns the member's own profile"],
  ['policy', { kind: 'ignore-conditions' }, 'rejects a patch with an outdated entity tag'],
  ['policy', { kind: 'lost-writes' }, 'returns the patched profile to its own member only'],
  ['notifications', { kind: 'first-member' }, 'lists notifications under the key "notifications"'],
  ['notifications', { kind: 'ignore-conditions' }, 'rejects a write with an outdated entity tag'],
  ['notifications', { kind: 'lost-writes' }, 'replaces all preferences'],
  ['notifications', { kind: 'error-for-missing' }, 'fails not-found for preferences that were never set'],
  ['consent', { kind: 'first-member' }, "returns the member's own consent state"],
  ['consent', { kind: 'ignore-conditions' }, 'rejects a write with an outdated entity tag'],
  ['consent', { kind: 'lost-writes' }, 'replaces the whole consent state'],
  ['consent', { kind: 'error-for-missing' }, 'fails not-found for an unknown member'],
];

const unavailable: readonly Row[] = (
  [
    { kind: 'status', status: 500 },
    { kind: 'refuse' },
    { kind: 'reset' },
    { kind: 'reset-body' },
    { kind: 'drip', everyMs: 60_000 },
    { kind: 'garbage' },
    { kind: 'wrong-type' },
    { kind: 'black-hole' },
    { kind: 'redirect', location: 'http://127.0.0.1:1/elsewhere' },
    { kind: 'huge', bytes: 11_000_000 },
  ] as const
).map((fault) => ['eligibility', fault, "returns the member's own coverage"]);

describe('portico contract, for a service with a fault', () => {
  it.for([...incorrect, ...unavailable])(
    'names each promise that %s breaks with %o',
    async ([service, fault, ...promises]) => {
      const { exitCode, stdout, stderr, xml, broken } = await test(service, fault);

      expect(exitCode).toBe(1);
      expect(broken).toEqual(expect.arrayContaining(promises));
      // Neither report contains a token, a locator or the URL of the service.
      const { url } = sandbox.services[service];
      const [claim, document] = ['CLM-1001-01', 'DOC-EOB-1001-05'];
      for (const hidden of [
        ...Object.values(env),
        ...sandbox.members.map((one) => one.partyLocator),
        claim,
        document,
        url,
      ])
        expect((xml + stdout + stderr).includes(hidden)).toBe(false);
    },
  );
});
