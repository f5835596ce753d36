import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  directory,
  type Environment,
  inTerminal,
  memberSetup,
  noTerminal,
  plain,
  sendStatus,
  type Test,
  tokenEndpoint,
} from './binary.test.support.ts';
import { sendJson } from './outside-world.test.support.ts';

const esc = '\u001b';

const claims = [
  {
    locator: 'CLM-1001-01',
    status: 'paid',
    type: 'dental',
    provider: { name: 'A clinic whose name takes more room than there is' },
    billedAmount: 84.5,
    currency: 'USD',
  },
];

/** Where to find a token endpoint that knows one user, and what it was told. */
const signIn = async (test: Test) => {
  const world = await memberSetup(test);
  const token = world.identity.token();
  const endpoint = await tokenEndpoint(test, (response, form) => {
    if (form.get('password') === 'hunter2') sendJson(response, { access_token: token });
    else sendStatus(response, 400, { error: 'invalid_grant' });
  });
  const env: Environment = {
    ...world.withoutToken,
    IDENTITY_TOKEN_URL: endpoint.url,
    OUT: join(directory(test), 'out'),
  };
  return { env, token, forms: endpoint.forms, out: () => readFileSync(env['OUT'] ?? '', 'utf8') };
};

const title = (name: string) => (noTerminal === undefined ? name : `${name} (not tried: ${noTerminal})`);

describe.skipIf(noTerminal !== undefined).concurrent(title('on a terminal'), () => {
  it('a table is as wide as the terminal and no wider, and its titles are bold', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { claims }));
    const { exitCode, stdout } = await inTerminal(test, 'portico me claims', { env, columns: 60 }).ended;
    const lines = plain(stdout).trimEnd().split('\n');

    expect(exitCode).toBe(0);
    expect(stdout.startsWith(`${esc}[1mLocator`)).toBe(true);
    expect(lines[0]).toMatch(/^Locator +Status +Type +Provider name +Billed amount$/);
    expect(lines.slice(1).join('\n')).toMatch(/^CLM-1001-01 {2}paid +dental +A clinic .* USD 84\.50\n +\S/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(50);
  });

  it('there are no colours where NO_COLOR is set', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { claims }));
    const { stdout } = await inTerminal(test, 'portico me claims', { env: { ...env, NO_COLOR: '1' } }).ended;

    expect(stdout).toMatch(/^Locator/);
    expect(stdout).not.toContain(esc);
  });

  it('a PDF is refused, and it says where else it could go', async (test) => {
    const { env, service } = await memberSetup(test);
    const { exitCode, stdout } = await inTerminal(test, 'portico me documents get DOC-1', { env }).ended;

    expect([exitCode, plain(stdout)]).toEqual([
      2,
      'portico: A PDF is nothing for a terminal.\n  Name a file: -o DOC-1.pdf\n',
    ]);
    expect(service.heard).toEqual([]);
  });

  it('a document says how far it is, and leaves one line', async (test) => {
    const half = Buffer.alloc(100_000);
    const finish = Promise.withResolvers<() => void>();
    const { env } = await memberSetup(test, (response) => {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 200_000 });
      response.write(half);
      finish.resolve(() => response.end(half));
    });
    const file = join(directory(test), 'eob.pdf');
    const { until, ended } = inTerminal(test, `portico me documents get DOC-1 -o ${file}`, { env });
    await until('stdout', /\d kB of 200\.0 kB/);
    (await finish.promise)();
    const { exitCode, stdout } = await ended;

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\d kB of 200\.0 kB/);
    expect(shownInTheEnd(stdout)).toBe(`DOC-1 is in ${file} (200.0 kB)\n`);
  });

  it('the journey shows its steps with ticks, and the one that is under way', async (test) => {
    const { env } = await memberSetup(test, (response, { url = '' }) => {
      if (url.endsWith('/log/list')) return sendStatus(response, 500);
      const preferences = { email: true, sms: true, push: true, claimsUpdates: true, billingAlerts: true };
      sendJson(response, url.endsWith('/list') ? { notifications: [] } : { ...preferences, enrollmentReminders: true });
    });
    const { exitCode, stdout } = await inTerminal(test, 'portico journey > /dev/null', { env }).ended;

    // What is read back is not what was written.
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`${esc}[32m✔${esc}[39m token`);
    expect(stdout).toContain(`${esc}[31m✖${esc}[39m verify-preferences`);
    expect(stdout).toContain('  verify-preferences …');
    expect(shownInTheEnd(stdout).split('\n').slice(0, 8)).toEqual([
      expect.stringMatching(/^✔ token +\d+ ms$/),
      expect.stringMatching(/^✔ get-preferences +\d+ ms$/),
      expect.stringMatching(/^✔ get-own-preferences +\d+ ms$/),
      expect.stringMatching(/^✔ put-preferences +\d+ ms$/),
      expect.stringMatching(/^✖ verify-preferences +\d+ ms failed$/),
      expect.stringMatching(/^– list-notifications +skipped$/),
      expect.stringMatching(/^– read-log +skipped$/),
      expect.stringMatching(/^portico: The step verify-preferences failed\./),
    ]);
  });

  it('Ctrl-C ends it with 130', async (test) => {
    const { env, service } = await memberSetup(test, () => {});
    const { child, ended } = inTerminal(test, 'portico me coverage; echo "[$?]"', { env });
    await service.asked;
    child.stdin.write('\u0003');

    expect((await ended).stdout).not.toMatch(/\[(?!130)/);
    expect((await ended).exitCode).toBe(130);
  });
});

/** What stays on the terminal of lines that were cleared and written anew. */
const shownInTheEnd = (shown: string): string =>
  plain(
    shown
      .split('\n')
      .map((line) => line.split(`\r${esc}[K`).at(-1))
      .join('\n'),
  );

describe.skipIf(noTerminal !== undefined).concurrent(title('without a token, on a terminal'), () => {
  it('user name and password are asked for; the password is not shown, and stdout carries only the token', async (test) => {
    const { env, token, forms, out } = await signIn(test);
    const { child, ended, until } = inTerminal(test, 'portico token > "$OUT"', { env });
    await until('stdout', /User name/);
    child.stdin.write('sample-a\r');
    await until('stdout', /Password/);
    child.stdin.write('hunter2\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, `${token}\n`]);
    expect(stdout).not.toContain('hunter2');
    expect(forms).toEqual([
      { grant_type: 'password', client_id: 'portico-cli', username: 'sample-a', password: 'hunter2' },
    ]);
  });

  it('a user name and a password that are pasted as two lines are both read, and the password is not shown', async (test) => {
    const { env, token, forms, out } = await signIn(test);
    const { child, ended, until } = inTerminal(test, 'portico token > "$OUT"', { env });
    await until('stdout', /User name/);
    child.stdin.write('sample-a\r\nhunter2\r\nmore\r\n');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, `${token}\n`]);
    expect(plain(stdout).replaceAll('\r', '')).toBe('User name: sample-a\nPassword: \n');
    expect(forms).toMatchObject([{ username: 'sample-a', password: 'hunter2' }]);
  });

  it('an empty user name ends with 5 without a prompt for the password', async (test) => {
    const { env, forms } = await signIn(test);
    const { child, ended, until } = inTerminal(test, 'portico token > "$OUT"', { env });
    await until('stdout', /User name/);
    child.stdin.write('\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, forms]).toEqual([5, []]);
    expect(stdout).not.toContain('Password:');
  });

  it('only the password is asked for when the user name is known', async (test) => {
    const { env, out } = await signIn(test);
    const user = { ...env, PORTICO_USERNAME: 'sample-a' };
    const { child, ended, until } = inTerminal(test, 'portico me coverage --json > "$OUT"', { env: user });
    await until('stdout', /Password/);
    child.stdin.write('hunter2\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, '{"locator":"COV-1"}\n']);
    expect(stdout).not.toContain('User name');
  });

  it('Ctrl-D in place of the password makes it 5, and nothing is said of how portico is made', async (test) => {
    const { env, out } = await signIn(test);
    const user = { ...env, PORTICO_USERNAME: 'sample-a' };
    const { child, ended, until } = inTerminal(test, 'portico token > "$OUT"', { env: user });
    await until('stdout', /Password/);
    child.stdin.write('\u0004');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([5, '']);
    expect(plain(stdout)).not.toMatch(/Warning|main\.ts/);
  });

  it.for([
    ['the user name', 'token', {}],
    ['the password', 'token', { PORTICO_USERNAME: 'sample-a' }],
    ['the password', 'me coverage', { PORTICO_USERNAME: 'sample-a' }],
    ['the password', 'journey', { PORTICO_USERNAME: 'sample-a' }],
  ] as const)(
    'Ctrl-C in place of %s ends "portico %s" with 130, and nothing else is said',
    async ([, args, user], test) => {
      const { env, forms, out } = await signIn(test);
      const { child, ended, until } = inTerminal(test, `portico ${args} > "$OUT"`, { env: { ...env, ...user } });
      await until('stdout', /User name|Password/);
      child.stdin.write('\u0003');
      const { exitCode, stdout } = await ended;

      expect([exitCode, out(), forms]).toEqual([130, '', []]);
      expect(plain(stdout)).not.toContain('portico:');
    },
  );
});
