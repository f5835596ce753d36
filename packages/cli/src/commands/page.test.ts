import { describe, expect, it } from 'vitest';
import { documentIn, fileWith, memberSetup, portico } from '../program/binary.test.support.ts';
import { sendJson } from '../program/outside-world.test.support.ts';

const allParts = [
  'coverage',
  'accumulators',
  'claims',
  'documents',
  'profile',
  'preferences',
  'notifications',
  'log',
  'consent',
];

describe.concurrent('portico me', () => {
  it('prints every part as one JSON document, with the bodies of the services byte for byte', async (test) => {
    const { env } = await memberSetup(test, (response) =>
      response.setHeader('Content-Type', 'application/json').end('{"n":12345678901234567890}'),
    );
    const { exitCode, stdout } = await portico(test, 'me --json', { env });
    const parts = allParts.map((name) => `"${name}":{"status":200,"body":{"n":12345678901234567890}}`);
    expect([exitCode, stdout.trim()]).toEqual([0, `{"partial":false,"parts":{${parts.join(',')}}}`]);
  });

  it('prints a row with the status for each part, and exits with 0 when one was read', async (test) => {
    const { env } = await memberSetup(test, (response, { url = '' }) =>
      url.startsWith('/claims') ? response.writeHead(500).end() : sendJson(response, {}),
    );
    const { exitCode, stdout, stderr } = await portico(test, 'me --include coverage,claims', { env });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['Part', 'Status', 'Problem'],
      ['coverage', '200'],
      ['claims', '502', 'The claims service returned an error.'],
      [''],
    ]);
  });

  it('prints the problem of a part that failed, and its rows as CSV', async (test) => {
    const { env } = await memberSetup(test, (response, { url = '' }) =>
      url.startsWith('/notifications') ? response.writeHead(404).end() : sendJson(response, {}),
    );
    const json = await portico(test, 'me page --include preferences,consent --json', { env });
    expect(documentIn(json)).toEqual({
      partial: true,
      parts: {
        preferences: {
          status: 404,
          problem: {
            code: 'preferences-not-set',
            service: 'notifications',
            detail: 'The member has never set preferences.',
          },
        },
        consent: { status: 200, body: {} },
      },
    });
    const csv = await portico(test, 'me --include consent --output csv', { env });
    expect(csv.stdout).toMatch(/^part,status,detail\r?\nconsent,200,/);
  });

  it.for([
    [500, 4],
    [404, 3],
  ] as const)('exits with the code of the first part when no part could be read: %i', async ([status, code], test) => {
    const { env } = await memberSetup(test, (response) => response.writeHead(status).end());
    const ended = await portico(test, 'me --include coverage,claims --json', { env });
    expect([ended.exitCode, ended.stderr]).toEqual([code, 'portico: No part could be read.\n']);
    expect(documentIn(ended)).toMatchObject({ partial: true, parts: { coverage: { problem: {} } } });
  });

  it.for([
    ['nothing', 'Unknown part: nothing.'],
    ['coverage,coverage', 'Repeated part: coverage.'],
  ])('exits with 2 for a wrong name, and reads nothing: %s', async ([include, detail], test) => {
    const requests: string[] = [];
    const { env } = await memberSetup(test, (response, { url = '' }) => {
      requests.push(url);
      response.end();
    });
    const ended = await portico(test, `me --json --include ${include}`, { env });
    expect([ended.exitCode, documentIn(ended), requests]).toMatchObject([2, { code: 'invalid-request', detail }, []]);
  });

  it('reads the parts of services of your own, too', async (test) => {
    const { env, service } = await memberSetup(test, (response) => sendJson(response, {}));
    const routes = {
      'GET /me/visits': { path: '/members/{partyLocator}/visits' },
      'GET /me/card': { path: '/members/{partyLocator}/card', type: 'image/png' },
    };
    const settings = fileWith(test, JSON.stringify({ downstreams: { visits: { url: service.url, routes } } }));
    const own = await portico(test, 'me --json', { env: { ...env, PORTICO_CONFIG: settings } });
    expect(Object.keys((documentIn(own) as { parts: object }).parts)).toEqual([...allParts, 'visits']);
  });

  it('exits with 5 without a token', async (test) => {
    const { withoutToken } = await memberSetup(test);
    expect((await portico(test, 'me', { env: withoutToken })).exitCode).toBe(5);
  });
});
