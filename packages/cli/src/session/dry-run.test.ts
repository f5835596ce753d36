import { describe, expect, it } from 'vitest';
import { documentIn, fileWith, memberSetup, portico } from '../program/binary.test.support.ts';

const json = 'application/json';

describe.concurrent('--dry-run', () => {
  it.for([
    [
      'me claims submit FILE --idempotency-key k-1',
      'POST',
      'claims/members/{partyLocator}/claims',
      { 'content-type': json, 'idempotency-key': 'k-1' },
    ],
    ['me consent set FILE', 'PUT', 'consent/consent/{partyLocator}', { 'content-type': json }],
    [
      'me profile set FILE',
      'PATCH',
      'policy/parties/{partyLocator}',
      { 'content-type': 'application/merge-patch+json' },
    ],
  ] as const)(
    'prints the request of portico %s without a token, and sends nothing',
    async ([args, method, path, headers], test) => {
      const { identity, service, withoutToken } = await memberSetup(test);
      const file = fileWith(test, '{"type":"dental"}');
      const ended = await portico(test, `${args.replace('FILE', file)} --dry-run --json`, { env: withoutToken });

      expect([ended.exitCode, documentIn(ended)]).toEqual([
        0,
        { method, url: `${service.url}/${path}`, headers, body: { type: 'dental' } },
      ]);
      expect([service.received, identity.received]).toEqual([[], []]);
    },
  );

  it('prints the preferences that would change, and reports that the others are read first', async (test) => {
    const { service, withoutToken } = await memberSetup(test);
    const { exitCode, stdout, stderr } = await portico(test, 'me preferences set email=on sms=off --dry-run', {
      env: withoutToken,
    });

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `PUT ${service.url}/notifications/preferences/{partyLocator}\ncontent-type: application/json\n\n{"email":true,"sms":false}\n`,
    );
    expect(stderr).toContain('are read first');
    expect(service.received).toEqual([]);
  });

  it('prints the body as it would be sent: with all digits, and without a field that names a member', async (test) => {
    const { withoutToken } = await memberSetup(test);
    const file = fileWith(test, '{"amount":12345678901234567890,"partyLocator":"PTY-9"}');
    const command = `me claims submit ${file} --dry-run`;

    expect((await portico(test, `${command} --json`, { env: withoutToken })).stdout).toContain(
      '"body":{"amount":12345678901234567890}}',
    );
    expect((await portico(test, command, { env: withoutToken })).stdout).toMatch(
      /\n\n\{"amount":12345678901234567890\}\n$/,
    );
  });

  it('exits with 2 for a body that is not an object', async (test) => {
    const { withoutToken } = await memberSetup(test);
    const file = fileWith(test, '[1]');

    expect(await portico(test, `me claims submit ${file} --dry-run`, { env: withoutToken })).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
  });
});
