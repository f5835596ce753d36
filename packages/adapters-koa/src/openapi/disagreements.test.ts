import { describe, expect, it } from 'vitest';
import { disagreements } from './document.test.support.ts';
import { pdf, servePortal } from '../server/portal.test.support.ts';

const seen = async (path = '/me/coverage') => {
  const { status, headers, body } = await (await servePortal()).ask('GET', path);
  return { status, headers, body };
};
const problem = async (change: (problem: Record<string, unknown>) => void) => {
  const portal = await servePortal();
  portal.fakes.claims.failWith({ kind: 'upstream', service: 'claims', reason: 'timeout' });
  const { status, headers, json } = await portal.ask('GET', '/me/claims');
  const changed = { ...(json as Record<string, unknown>) };
  change(changed);
  return disagreements('GET', '/me/claims', { status, headers, body: Buffer.from(JSON.stringify(changed)) });
};

describe('an answer that is not as documented', () => {
  it('has a header that nobody told of, or lacks one that is promised', async () => {
    const { status, headers, body } = await seen();
    const { vary, ...others } = headers;
    expect(disagreements('GET', '/me/coverage', { status, headers: { ...headers, 'x-more': '1' }, body })).toEqual([
      'GET /me/coverage 200: the header x-more is not documented',
    ]);
    expect(disagreements('GET', '/me/coverage', { status, headers: others, body })).toEqual([
      'GET /me/coverage 200: the header vary is missing',
    ]);
    expect(
      disagreements('GET', '/me/coverage', { status, headers: { ...headers, vary: `${vary}, Cookie` }, body }),
    ).toEqual([expect.stringContaining('a header is not as documented')]);
  });

  it('has a status, a content type or a path that nobody told of', async () => {
    const answer = await seen();
    expect(disagreements('GET', '/me/coverage', { ...answer, status: 203 })).toEqual([
      'GET /me/coverage 203: the status is not documented',
    ]);
    expect(disagreements('GET', '/me/coverages', answer)).toEqual([
      'GET /me/coverages 200: the route is not documented',
    ]);
    expect(disagreements('DELETE', '/me/coverage', answer)).toEqual([
      'DELETE /me/coverage 200: the route is not documented',
    ]);
    const headers = { ...answer.headers, 'content-type': 'text/plain' };
    expect(disagreements('GET', '/me/coverage', { ...answer, headers })).toEqual([
      'GET /me/coverage 200: the content type text/plain is not documented',
    ]);
    expect(disagreements('HEAD', '/me/documents/DOC-1', { ...(await seen('/me/documents/DOC-1')), body: pdf })).toEqual(
      ['HEAD /me/documents/DOC-1 200: a head has a body'],
    );
  });

  it.each<[string, (problem: Record<string, unknown>) => void]>([
    ['a field more', (problem) => (problem['hint'] = 'x')],
    ['a field renamed', (problem) => ((problem['requestID'] = problem['requestId']), delete problem['requestId'])],
    ['no reason', (problem) => delete problem['reason']],
    ['the code of another', (problem) => (problem['code'] = 'internal')],
    ['a status in words', (problem) => (problem['status'] = '502')],
    ['a service that nobody knows', (problem) => (problem['service'] = 'billing')],
  ])('is a problem with %s', async (_, change) => {
    expect(await problem(() => {})).toEqual([]);
    expect((await problem(change)).length).toBeGreaterThan(0);
  });
});
