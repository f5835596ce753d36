import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentIn, fileWith, portico, type Test } from '../program/binary.test.support.ts';
import { sendJson, webServer } from '../program/outside-world.test.support.ts';
import type { ContractReport } from './contract-report.ts';

/** A token of this member that no one signed. */
const tokenOf = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

const tokens = {
  PORTICO_CONTRACT_TOKEN: tokenOf({ sub: 'PTY-1' }),
  PORTICO_CONTRACT_OTHER_TOKEN: tokenOf({ partyLocator: 'PTY-2', sub: 'someone' }),
  PORTICO_CONTRACT_UNKNOWN_TOKEN: tokenOf({ sub: 'PTY-3' }),
};

/** Coverage and accumulators of each member: the plan is the locator. */
const eligibility = (test: Test, paths: string[] = []) =>
  webServer(test, (response, { url = '' }) => {
    paths.push(url);
    const [, locator = ''] = /\/(PTY-\d)/.exec(url) ?? [];
    if (locator === 'PTY-3') response.writeHead(404).end();
    else sendJson(response, { plan: `plan of ${locator}` });
  });

const known = ['--coverage', 'of PTY-1', '--accumulators', 'of PTY-1'];

describe('portico contract', () => {
  it('keeps every promise of a correct service, with the locators in the tokens', async (test) => {
    const { url } = await eligibility(test);
    const ended = await portico(test, ['contract', 'eligibility', '--url', url, ...known, '--json'], { env: tokens });

    expect(ended.exitCode).toBe(0);
    const { ok, service, promises } = documentIn(ended) as ContractReport;
    expect([ok, service]).toEqual([true, 'eligibility']);
    expect(promises.map(({ promise, outcome }) => [promise, outcome])).toEqual([
      ["returns the member's own coverage", 'kept'],
      ["returns the member's own accumulators", 'kept'],
      ['fails not-found for an unknown member', 'kept'],
    ]);
    expect(ended.stderr).toBe(promises.map(({ promise }) => `✔ ${promise}\n`).join(''));
  });

  it('names a broken promise with the statuses of its requests, and exits 1', async (test) => {
    const { url } = await webServer(test, (response) => response.writeHead(403).end());
    const ended = await portico(test, ['contract', 'eligibility', '--url', url, ...known], { env: tokens });

    expect(ended.exitCode).toBe(1);
    expect(ended.stdout).toMatch(
      /✖ {2}fails not-found for an unknown member +\d+ {2}broken: should have failed as not-found, not as upstream \(GET 403, GET 403, GET 403\)\n/,
    );
    expect(ended.stdout).toMatch(/\n0 kept, 3 broken, 0 skipped\.\n$/);
  });

  it('skips promises whose data is missing, with what to set', async (test) => {
    const { url } = await eligibility(test);
    const { PORTICO_CONTRACT_UNKNOWN_TOKEN: _, ...env } = tokens;
    const args = ['contract', 'eligibility', '--url', url, '--coverage', 'of PTY-1', '--json'];
    const ended = await portico(test, args, { env });

    expect(ended.exitCode).toBe(0);
    expect((documentIn(ended) as ContractReport).promises.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['kept', undefined],
      [
        'skipped',
        "Give --accumulators, a part of the first member's accumulators that the other member's do not have.",
      ],
      ['skipped', 'Set PORTICO_CONTRACT_UNKNOWN_TOKEN to the token of a member who does not exist in this service.'],
    ]);
  });

  it('reports data of another member even if the promise is skipped later', async (test) => {
    const { url } = await webServer(test, (response) => sendJson(response, { plan: 'of everyone' }));
    const ended = await portico(test, ['contract', 'policy', '--url', url, '--json'], { env: tokens });

    expect(ended.exitCode).toBe(1);
    const { promises } = documentIn(ended) as ContractReport;
    expect(promises.find(({ promise }) => promise === 'does not change the profile of another member')).toMatchObject({
      outcome: 'broken',
      reason: 'returns nothing of one member to another member. policy.profile returned the same data to two members',
    });
  });

  it('sends no write without --write', async (test) => {
    const methods: (string | undefined)[] = [];
    const { url } = await webServer(test, (response, { method }) => {
      methods.push(method);
      sendJson(response, {});
    });
    const run = (...more: string[]) =>
      portico(test, ['contract', 'consent', '--url', url, '--json', ...more], { env: tokens });

    const { promises } = documentIn(await run()) as ContractReport;
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(promises.filter(({ outcome }) => outcome === 'kept')).toHaveLength(3);
    expect(promises.find(({ promise }) => promise === 'replaces the whole consent state')).toMatchObject({
      outcome: 'skipped',
      reason: 'It changes data. Give --write if the service may be changed.',
    });

    await run('--write');
    expect(methods).toContain('PUT');
  });

  it('never stores the first preferences of a member, which cannot be undone', async (test) => {
    const writes: (string | undefined)[] = [];
    const { url } = await webServer(test, (response, { method, url: path }) => {
      if (method === 'PUT') writes.push(path);
      response.writeHead(404).end();
    });
    await portico(test, ['contract', 'notifications', '--url', url, '--write'], { env: tokens });

    expect(new Set(writes)).toEqual(new Set(['/preferences/PTY-1']));
  });

  it('exits 2 when no promise was tested', async (test) => {
    const { url, received } = await webServer(test, (response) => response.end());
    const ended = await portico(test, ['contract', 'claims', '--url', url], { env: tokens });

    expect([ended.exitCode, received]).toEqual([2, []]);
    expect(ended.stderr).toContain('portico: No promise was tested.\n');
  });

  it('uses the paths, headers and tokens of the settings, and hides the headers', async (test) => {
    const keys: unknown[] = [];
    const authorizations: unknown[] = [];
    const { url, received } = await webServer(test, (response, { headers }) => {
      keys.push(headers['x-api-key']);
      authorizations.push(headers.authorization);
      sendJson(response, { plan: `at ${headers['x-api-key']?.toString() ?? ''}` });
    });
    const service = {
      url: 'http://127.0.0.1:1',
      headers: { 'x-api-key': 'canary' },
      paths: { coverage: '/v2/{partyLocator}' },
    };
    const identity = { issuer: 'http://127.0.0.1:1', audience: ['portico'] };
    const config = fileWith(test, JSON.stringify({ identity, downstreams: { eligibility: service } }));
    const args = ['contract', 'eligibility', '--url', url, ...known, '--config', config];
    const ended = await portico(test, args, { env: tokens });

    expect(ended.exitCode).toBe(1);
    expect(authorizations).toContain(`Bearer ${tokens.PORTICO_CONTRACT_TOKEN}`);
    expect(received).toContain('GET /v2/PTY-1');
    expect(new Set(keys)).toEqual(new Set(['canary']));
    expect(ended.stdout + ended.stderr).not.toContain('canary');
  });

  it('writes a report as JUnit XML, also when a promise is broken', async (test) => {
    const { url } = await webServer(test, (response) => response.writeHead(500).end());
    const file = join(fileWith(test, ''), '..', 'report.xml');
    const { PORTICO_CONTRACT_UNKNOWN_TOKEN: _, ...env } = tokens;
    const ended = await portico(test, ['contract', 'eligibility', '--url', url, '--junit', file], { env });

    expect(ended.exitCode).toBe(1);
    const xml = readFileSync(file, 'utf8');
    expect(xml).toContain('<testsuite name="eligibility contract" tests="3" failures="2" skipped="1"');
    expect(xml).toMatch(/<failure message="[^"]*&quot;reason&quot;:&quot;status&quot;[^"]*">Requests: GET 500/);
    expect(xml).toContain('<skipped message="Set PORTICO_CONTRACT_UNKNOWN_TOKEN');
  });

  it.each([
    [{}, [], 'The token of the first test member is missing.'],
    [{ PORTICO_CONTRACT_TOKEN: 'opaque' }, [], 'PORTICO_CONTRACT_TOKEN has no valid locator of a member.'],
    [{ PORTICO_CONTRACT_TOKEN: 'two words' }, [], 'PORTICO_CONTRACT_TOKEN is not an access token.'],
    [{ ...tokens, PORTICO_CONTRACT_OTHER_TOKEN: tokens.PORTICO_CONTRACT_TOKEN }, [], 'Two test members have the same'],
    [tokens, ['--resource', '../x'], '--resource is not a valid locator.'],
    [tokens, ['--unmatched', 'colour=red'], '--unmatched is not a list parameter.'],
    [tokens, ['--unmatched', 'statuss'], '--unmatched is not a list parameter.'],
    [tokens, ['--url', 'ftp://x'], '--url is not a base URL.'],
  ])('exits 2 for wrong usage: %j %j', async (env, more, message) => {
    const args = ['contract', 'claims', '--url', 'http://127.0.0.1:1', ...more];
    const ended = await portico({ onTestFinished: () => {} }, args, { env });

    expect([ended.exitCode, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain(message);
  });

  it('accepts opaque tokens when the locators are given', async (test) => {
    const { url } = await eligibility(test);
    const env = { PORTICO_CONTRACT_TOKEN: 'opaque-1', PORTICO_CONTRACT_OTHER_TOKEN: 'opaque-2' };
    const args = ['contract', 'eligibility', '--url', url, ...known, '--member', 'PTY-1', '--other', 'PTY-2'];

    expect((await portico(test, args, { env })).exitCode).toBe(0);
  });
});
