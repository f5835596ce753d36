import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentIn, fileWith, portico, type Test } from '../program/binary.test.support.ts';
import { sendJson, webServer } from '../program/outside-world.test.support.ts';
import type { ContractReport } from './contract-report.ts';

/** A token of this member that no one signed. */
const tokenOf = (sub: string): string => `e30.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c2ln`;

const tokens = {
  PORTICO_CONTRACT_TOKEN: tokenOf('PTY-1'),
  PORTICO_CONTRACT_OTHER_TOKEN: tokenOf('PTY-2'),
  PORTICO_CONTRACT_UNKNOWN_TOKEN: tokenOf('PTY-3'),
};

const base = '/members/{partyLocator}/visits';
const routes = {
  'GET /me/visits': { path: base },
  'GET /me/visits/{locator}': { path: `${base}/{locator}` },
  'POST /me/visits': { path: base },
  'DELETE /me/visits/{locator}': { path: `${base}/{locator}` },
  'GET /me/visits/{locator}/report': { path: `${base}/{locator}/report`, type: 'application/pdf' },
};

const requests = { 'POST /me/visits': { body: { doctor: 'Dr. Private' }, otherBody: { doctor: 'Dr. Other' } } };

type Fault = 'shared keys' | 'ignored keys' | 'any member' | 'status for missing' | 'content of another member';

/** A service with these routes. It keeps its data while the test runs. */
const visitsService = async (test: Test, fault?: Fault) => {
  const visits = new Map<string, { locator: string }[]>([
    ['PTY-1', [{ locator: 'VISIT-1' }]],
    ['PTY-2', []],
  ]);
  const byKey = new Map<string, object>();
  const authorizations: unknown[] = [];
  const respond = async (response: ServerResponse, request: IncomingMessage): Promise<void> => {
    authorizations.push(request.headers.authorization);
    const [, , asked = '', , locator, report] = (request.url ?? '').split('/');
    const missing = () => response.writeHead(fault === 'status for missing' ? 500 : 404).end();
    const isShared = fault === 'any member' || (fault === 'content of another member' && report !== undefined);
    const own = visits.get(isShared ? 'PTY-1' : asked);
    if (!own) return void missing();
    if (request.method === 'POST') {
      response.statusCode = 201;
      return sendJson(response, await post(request, asked, own));
    }
    if (locator === undefined) return sendJson(response, { owner: asked, visits: own });
    const found = own.findIndex((visit) => visit.locator === locator);
    if (found < 0) return void missing();
    if (request.method === 'DELETE') return void response.writeHead(204).end(own.splice(found, 1) && '');
    if (report === undefined) return sendJson(response, own[found]);
    response.setHeader('Content-Type', 'application/pdf').end('%PDF-1.7 private');
  };
  const post = async (request: IncomingMessage, asked: string, own: { locator: string }[]): Promise<object> => {
    const key = request.headers['idempotency-key']?.toString() ?? '';
    const name = fault === 'shared keys' ? key : `${asked} ${key}`;
    const known = key === '' || fault === 'ignored keys' ? undefined : byKey.get(name);
    if (known) return known;
    const visit = { ...(JSON.parse(await text(request)) as object), locator: `VISIT-${own.length + 1}` };
    own.push(visit);
    byKey.set(name, visit);
    return visit;
  };
  return { ...(await webServer(test, (response, request) => void respond(response, request))), authorizations };
};

const settingsWith = (test: Test, more: object = {}) =>
  fileWith(
    test,
    JSON.stringify({
      identity: { issuer: 'http://127.0.0.1:1', audience: ['portico'] },
      downstreams: { visits: { url: 'http://127.0.0.1:1', routes, ...more } },
    }),
  );

const known = (test: Test) => ['--resource', 'VISIT-1', '--requests', fileWith(test, JSON.stringify(requests))];

/** Runs the suite of the declared service. */
const runSuite = async (test: Test, fault: Fault | undefined, more: readonly string[]) => {
  const { url, received } = await visitsService(test, fault);
  const args = ['contract', 'visits', '--config', settingsWith(test), '--url', url, ...more];
  return { ...(await portico(test, args, { env: tokens })), received, url };
};

const namesOf = ({ promises }: ContractReport, wanted: string) =>
  promises.filter(({ outcome }) => outcome === wanted).map(({ promise }) => promise);

describe('portico contract, for a service of your own', () => {
  it('keeps every promise of a correct service that the settings declare', async (test) => {
    const ended = await runSuite(test, undefined, [...known(test), '--write', '--json']);
    const report = documentIn(ended) as ContractReport;

    expect([ended.exitCode, report.service, namesOf(report, 'broken')]).toEqual([0, 'visits', []]);
    // A deleted visit cannot be restored.
    expect(namesOf(report, 'skipped')).toEqual([
      'DELETE /me/visits/{locator} returns JSON, or no content',
      'DELETE /me/visits/{locator} changes nothing that another member reads',
      'DELETE /me/visits/{locator} changes what the member reads',
    ]);
    expect(namesOf(report, 'kept')).toEqual(
      expect.arrayContaining([
        'GET /me/visits returns nothing of another member',
        'GET /me/visits/{locator}/report fails not-found for another member',
        'POST /me/visits is processed for each of two members who use the same idempotency key',
        'DELETE /me/visits/{locator} cannot be used by another member to change what a member reads',
      ]),
    );
  });

  it.each<[Fault, string]>([
    ['shared keys', 'POST /me/visits is processed for each of two members who use the same idempotency key'],
    ['ignored keys', 'POST /me/visits is processed once when it is sent twice with the same idempotency key'],
    ['any member', 'GET /me/visits/{locator} fails not-found for another member'],
    ['any member', 'POST /me/visits changes nothing that another member reads'],
    ['status for missing', 'GET /me/visits/{locator} fails not-found for what does not exist'],
    ['content of another member', 'GET /me/visits/{locator}/report returns nothing of another member'],
  ])('names the promise that a service with the fault "%s" breaks: %s', async (fault, promise) => {
    const test = { onTestFinished };
    const file = join(fileWith(test, ''), '..', 'report.xml');
    const ended = await runSuite(test, fault, [...known(test), '--write', '--junit', file]);
    const xml = readFileSync(file, 'utf8');

    expect(ended.exitCode).toBe(1);
    expect(xml).toContain('<testsuite name="visits contract"');
    expect(xml).toContain(`name="${promise}" time="0`);
    expect(xml.split('\n').find((line) => line.includes(`name="${promise}"`))).toContain('<failure');
    for (const hidden of [...Object.values(tokens), 'PTY-', 'VISIT-1', 'Private', ended.url])
      expect((xml + ended.stdout + ended.stderr).includes(hidden)).toBe(false);
  });

  it('needs no token for a service that gets none', async (test) => {
    const { url, authorizations } = await visitsService(test);
    const settings = settingsWith(test, { credentials: 'none', headers: { 'x-api-key': 'canary-key' } });
    const args = ['contract', 'visits', '--config', settings, '--url', url, '--resource', 'VISIT-1', '--json'];
    const ended = await portico(test, [...args, '--member', 'PTY-1', '--other', 'PTY-2'], { env: {} });
    const kept = namesOf(documentIn(ended) as ContractReport, 'kept');

    expect([ended.exitCode, kept.includes('GET /me/visits returns nothing of another member')]).toEqual([0, true]);
    expect(new Set(authorizations)).toEqual(new Set([undefined]));
    const unnamed = await portico(test, args, { env: {} });
    expect([unnamed.exitCode, unnamed.stderr]).toEqual([2, expect.stringContaining('Give its locator with --member.')]);
  });

  it('sends no write without --write, and names the requests that are missing', async (test) => {
    const { received, ...ended } = await runSuite(test, undefined, ['--json']);
    const { promises } = documentIn(ended) as ContractReport;
    const reasons = new Map(promises.map(({ promise, reason }) => [promise, reason]));

    expect(ended.exitCode).toBe(0);
    expect(received.every((request) => request.startsWith('GET '))).toBe(true);
    expect(reasons.get('GET /me/visits returns nothing of another member')).toBeUndefined();
    expect(reasons.get('GET /me/visits/{locator} returns JSON, or no content')).toBe(
      'Give --resource, or a request for "GET /me/visits/{locator}" in the file of --requests.',
    );
    expect(reasons.get('POST /me/visits returns JSON, or no content')).toBe(
      'Give a request for "POST /me/visits" in the file of --requests.',
    );

    const given = await runSuite(test, undefined, [...known(test), '--json']);
    expect(given.received.every((request) => request.startsWith('GET '))).toBe(true);
    expect(JSON.stringify(documentIn(given))).toContain('It changes data. Give --write');
  });

  it.each([
    [['--requests', '/nowhere/requests.json'], 'Cannot read /nowhere/requests.json (ENOENT).'],
    [{ 'GET /me/other': {} }, 'has the route "GET /me/other".'],
    [{ 'GET /me/visits': { parameter: {} } }, 'is not a file of requests.'],
    [[], 'is not a file of requests.'],
  ])('exits 2 for wrong requests: %j', async (given, message) => {
    const test = { onTestFinished };
    const file = () => ['--requests', fileWith(test, JSON.stringify(given))];
    const more = Array.isArray(given) && given.length > 0 ? (given as readonly string[]) : file();
    const ended = await runSuite(test, undefined, more);

    expect([ended.exitCode, ended.received, ended.stdout]).toEqual([2, [], '']);
    expect(ended.stderr).toContain(message);
  });

  it('exits 2 for a service that the settings do not declare, with the names of those that exist', async (test) => {
    const args = ['contract', 'visit', '--config', settingsWith(test), '--url', 'http://127.0.0.1:1'];
    const ended = await portico(test, args, { env: tokens });

    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('Unknown service.');
    expect(ended.stderr).toContain('consent, visits.');
  });
});
