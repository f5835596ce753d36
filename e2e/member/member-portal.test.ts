import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { memberRoutes, requestOf } from './member-routes.ts';
import { startEnvironment, type Environment } from '@portico/demo/environment';

let environment: Environment;
let memberA: Awaited<ReturnType<Environment['as']>>;
let memberC: Awaited<ReturnType<Environment['as']>>;

beforeAll(async () => {
  environment = await startEnvironment();
  [memberA, memberC] = await Promise.all([environment.as('member-a'), environment.as('member-c')]);
});
afterAll(() => environment.close());

describe('a member of portico serve with the sandbox', () => {
  it.each(memberRoutes)('gets a response to $method $path', async (route) => {
    const response = await memberA(route.path, requestOf(route));
    expect(response.status).toBe(route.method === 'POST' ? 201 : 200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(10);
  });

  it('sees their coverage as the unchanged bytes of the eligibility service', async () => {
    const relayed = await (await memberA('/me/coverage')).text();
    const direct = await fetch(`${environment.sandbox.services.eligibility.url}/members/PTY-1001/coverage`, {
      headers: { authorization: `Bearer ${await environment.sandbox.token('member-a')}` },
    });
    expect(relayed).toBe(await direct.text());
    expect(relayed).not.toBe(await (await memberC('/me/coverage')).text());
  });

  it.each(['member-a', 'member-c'])('sees in one page what its own routes return: %s', async (name) => {
    const member = name === 'member-a' ? memberA : memberC;
    const text = await (await member('/me')).text();
    const { parts } = JSON.parse(text) as { readonly parts: Readonly<Record<string, { readonly status: number }>> };
    const reads = memberRoutes.filter(({ method, path }) => method === 'GET' && !/\d/.test(path));
    expect(Object.keys(parts)).toHaveLength(reads.length);
    for (const { path } of reads) {
      const own = await member(path);
      const part = path.slice(path.lastIndexOf('/') + 1);
      expect([part, parts[part]?.status]).toEqual([part, own.status]);
      if (own.ok) expect(text).toContain(`"${part}":{"status":200,"body":${await own.text()}}`);
    }
  });

  it('finds a submitted claim at its Location', async () => {
    const filed = await memberA('/me/claims', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"dental","amount":84.50}',
    });
    const location = filed.headers.get('location') ?? '';
    expect(location).toMatch(/^\/me\/claims\/CLM-/);
    expect(await (await memberA(location)).json()).toMatchObject({ type: 'dental', amount: 84.5 });
    expect((await memberC(location)).status).toBe(404);
  });

  it('gets 404 for preferences that were never set, sets them, and reads them', async () => {
    const never = await memberC('/me/preferences');
    expect(never.status).toBe(404);
    expect(await never.json()).toMatchObject({ code: 'preferences-not-set', service: 'notifications' });
    const preferences = {
      email: true,
      sms: true,
      push: false,
      claimsUpdates: true,
      billingAlerts: false,
      enrollmentReminders: false,
    };
    await memberC('/me/preferences', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(preferences),
    });
    expect(await (await memberC('/me/preferences')).json()).toEqual(preferences);
  });

  it('downloads a PDF, whole or in part', async () => {
    const pdf = Buffer.from(await (await memberA('/me/documents/DOC-EOB-1001-05')).arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(pdf.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true);
    const part = await memberA('/me/documents/DOC-EOB-1001-05', { headers: { range: 'bytes=0-4' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 0-4/${pdf.length}`,
      '%PDF-',
    ]);
  });

  it("cannot open another member's document", async () => {
    expect((await memberC('/me/documents/DOC-EOB-1001-05')).status).toBe(404);
  });
});

describe('the identity provider', () => {
  it('the identity provider can be down after the start while members are served', async () => {
    const member = await environment.as('member-a');
    expect((await member('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.stop();
    expect((await member('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.start();
  });

  it('an identity provider is requested again when it was down at the start; members get 502 until then', async () => {
    let authorization = '';
    const other = await startEnvironment({
      settings: async (sandbox) => {
        // Portico requests the keys in the background: the provider must not return before the first request of the test.
        authorization = `Bearer ${await sandbox.token('member-a')}`;
        await sandbox.identity.stop();
        return {};
      },
    });
    onTestFinished(() => other.close());
    const coverage = () => fetch(`${other.portico.url}/me/coverage`, { headers: { authorization } });
    const refused = await coverage();
    expect([refused.status, await refused.json()]).toEqual([
      502,
      expect.objectContaining({ code: 'upstream-failure', service: 'identity' }),
    ]);
    await other.sandbox.identity.start();
    await expect.poll(async () => (await coverage()).status).toBe(200);
  });

  it('the identity provider can return with new keys, whose tokens are accepted immediately', async () => {
    const before = await environment.as('member-a');
    expect((await before('/me/coverage')).status).toBe(200);
    await environment.sandbox.identity.stop();
    await environment.sandbox.identity.rotateKeys();
    await environment.sandbox.identity.start();
    const after = await environment.as('member-a');
    expect((await after('/me/coverage')).status).toBe(200);
  });
});
