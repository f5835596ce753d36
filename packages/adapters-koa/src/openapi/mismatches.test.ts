import { describe, expect, it } from 'vitest';
import { mismatches } from './document.test.support.ts';
import { pdf, servePortal } from '../server/portal.test.support.ts';

const observe = async (path = '/me/coverage') => {
  const { status, headers, body } = await (await servePortal()).request('GET', path);
  return { status, headers, body };
};
const problem = async (change: (problem: Record<string, unknown>) => void) => {
  const portal = await servePortal();
  portal.fakes.claims.failWith({ kind: 'upstream', service: 'claims', reason: 'timeout' });
  const { status, headers, json } = await portal.request('GET', '/me/claims');
  const changed = { ...(json as Record<string, unknown>) };
  change(changed);
  return mismatches('GET', '/me/claims', { status, headers, body: Buffer.from(JSON.stringify(changed)) });
};

describe('mismatches with the OpenAPI document', () => {
  it('reports undocumented, missing and invalid headers', async () => {
    const { status, headers, body } = await observe();
    const { vary, ...others } = headers;
    expect(mismatches('GET', '/me/coverage', { status, headers: { ...headers, 'x-more': '1' }, body })).toEqual([
      'GET /me/coverage 200: the header x-more is not documented',
    ]);
    expect(mismatches('GET', '/me/coverage', { status, headers: others, body })).toEqual([
      'GET /me/coverage 200: the header vary is missing',
    ]);
    expect(
      mismatches('GET', '/me/coverage', { status, headers: { ...headers, vary: `${vary}, Cookie` }, body }),
    ).toEqual([expect.stringContaining('a header does not match its schema')]);
  });

  it('reports an undocumented status, content type or path', async () => {
    const response = await observe();
    expect(mismatches('GET', '/me/coverage', { ...response, status: 203 })).toEqual([
      'GET /me/coverage 203: the status is not documented',
    ]);
    expect(mismatches('GET', '/me/coverages', response)).toEqual([
      'GET /me/coverages 200: the route is not documented',
    ]);
    expect(mismatches('DELETE', '/me/coverage', response)).toEqual([
      'DELETE /me/coverage 200: the route is not documented',
    ]);
    const headers = { ...response.headers, 'content-type': 'text/plain' };
    expect(mismatches('GET', '/me/coverage', { ...response, headers })).toEqual([
      'GET /me/coverage 200: the content type text/plain is not documented',
    ]);
    expect(mismatches('HEAD', '/me/documents/DOC-1', { ...(await observe('/me/documents/DOC-1')), body: pdf })).toEqual(
      ['HEAD /me/documents/DOC-1 200: a response to HEAD has a body'],
    );
  });

  it.each<[string, (problem: Record<string, unknown>) => void]>([
    ['an additional field', (problem) => (problem['hint'] = 'x')],
    ['a renamed field', (problem) => ((problem['requestID'] = problem['requestId']), delete problem['requestId'])],
    ['no reason', (problem) => delete problem['reason']],
    ['the code of another problem', (problem) => (problem['code'] = 'internal')],
    ['a status that is a string', (problem) => (problem['status'] = '502')],
    ['an unknown service', (problem) => (problem['service'] = 'billing')],
  ])('reports problem details with %s', async (_, change) => {
    expect(await problem(() => {})).toEqual([]);
    expect((await problem(change)).length).toBeGreaterThan(0);
  });
});
