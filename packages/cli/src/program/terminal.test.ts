import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  directory,
  fileWith,
  type Environment,
  inTerminal,
  memberSetup,
  noTerminal,
  plain,
  sendStatus,
  type Test,
  tokenEndpoint,
} from './binary.test.support.ts';
import { porticoOnTerminal } from './in-process.test.support.ts';
import { becknNetwork, legAt, sendJson } from './outside-world.test.support.ts';

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

/** Starts a token endpoint with one user, and records the received forms. */
const signIn = async (test: Test) => {
  const setup = await memberSetup(test);
  const token = setup.identity.token();
  const endpoint = await tokenEndpoint(test, (response, form) => {
    if (form.get('password') === 'hunter2') sendJson(response, { access_token: token });
    else sendStatus(response, 400, { error: 'invalid_grant' });
  });
  const env: Environment = {
    ...setup.withoutToken,
    IDENTITY_TOKEN_URL: endpoint.url,
    OUT: join(directory(test), 'out'),
  };
  return { env, token, forms: endpoint.forms, out: () => readFileSync(env['OUT'] ?? '', 'utf8') };
};

const title = (name: string) => (noTerminal === undefined ? name : `${name} (skipped: ${noTerminal})`);

describe.skipIf(noTerminal !== undefined).concurrent(title('output on a terminal'), () => {
  it('fits a table to the terminal, with bold titles', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { claims }));
    const { exitCode, stdout } = await inTerminal(test, 'portico me claims', { env, columns: 60 }).ended;
    const lines = plain(stdout).trimEnd().split('\n');

    expect(exitCode).toBe(0);
    expect(stdout.startsWith(`${esc}[1mLocator`)).toBe(true);
    expect(lines[0]).toMatch(/^Locator +Status +Provider name +Billed amount +Type$/);
    expect(lines.slice(1).join('\n')).toMatch(/^CLM-1001-01 {2}paid +A clinic .* USD 84\.50 +dental\n +\S/);
    expect(stdout).toContain(`${esc}[32mpaid${esc}[39m`);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeGreaterThan(50);
  });

  it('shows first what the member pays, and names the columns that do not fit', async (test) => {
    const wide = claims.map((claim) => ({
      ...claim,
      provider: { name: 'A clinic for orthopedics' },
      type: 'hospitalization',
      memberResponsibilityAmount: 1284.5,
      billedAmount: 12_845.5,
      serviceDates: { from: '2026-03-05' },
    }));
    const { env } = await memberSetup(test, (response) => sendJson(response, { claims: wide }));
    const { stdout } = await inTerminal(test, 'portico me claims', { env, columns: 60 }).ended;
    const lines = plain(stdout).trimEnd().split('\n');

    expect(lines[0]).toMatch(/^Locator +You pay +Status /);
    expect(lines.find((line) => line.startsWith('CLM'))).toMatch(/^CLM-1001-01 +USD 1,284\.50 +paid /);
    expect(lines.slice(-2).join(' ')).toMatch(/\(\d more columns?: .*Type; use a wider terminal or --json\)$/);
  });

  it('shows no colours when --no-color is given', async (test) => {
    const { env } = await memberSetup(test, (response) => sendJson(response, { claims }));
    const { stdout } = await inTerminal(test, 'portico me claims --no-color', { env }).ended;

    expect(stdout).toMatch(/^Locator/);
    expect(stdout).not.toContain(esc);
  });

  it('refuses to write a PDF to the terminal, and suggests -o', async (test) => {
    const { env, service } = await memberSetup(test);
    const { exitCode, stdout } = await porticoOnTerminal(['me', 'documents', 'get', 'DOC-1'], env);

    expect([exitCode, plain(stdout)]).toEqual([
      2,
      'portico: Refusing to write a PDF to the terminal.\n  Write to a file: -o DOC-1.pdf\n',
    ]);
    expect(service.received).toEqual([]);
  });

  it('shows the progress of a download, then one line', async (test) => {
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
    expect(finalScreen(stdout)).toBe(`Saved DOC-1 to ${file} (200.0 kB).\n`);
  });

  it('shows the finished steps of the journey and the current one', async (test) => {
    const { env } = await memberSetup(test, (response, { url = '' }) => {
      if (url.endsWith('/log/list')) return sendStatus(response, 500);
      const preferences = { email: true, sms: true, push: true, claimsUpdates: true, billingAlerts: true };
      sendJson(response, url.endsWith('/list') ? { notifications: [] } : { ...preferences, enrollmentReminders: true });
    });
    const { exitCode, stdout } = await inTerminal(test, 'portico journey > /dev/null', { env }).ended;

    // The service returns other preferences than were written.
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`${esc}[32m✔${esc}[39m token`);
    expect(stdout).toContain(`${esc}[31m✖${esc}[39m verify-preferences`);
    expect(stdout).toContain('  verify-preferences …');
    expect(finalScreen(stdout).split('\n').slice(0, 8)).toEqual([
      expect.stringMatching(/^✔ token +\d+ ms$/),
      expect.stringMatching(/^✔ get-preferences +\d+ ms$/),
      expect.stringMatching(/^✔ get-own-preferences +\d+ ms$/),
      expect.stringMatching(/^✔ put-preferences +\d+ ms$/),
      expect.stringMatching(/^✖ verify-preferences +\d+ ms failed$/),
      expect.stringMatching(/^– list-notifications +skipped$/),
      expect.stringMatching(/^– read-log +skipped$/),
      expect.stringMatching(/^portico: Step verify-preferences failed\./),
    ]);
  });

  it('shows a spinner and the seconds for each leg that a search is waiting for', async (test) => {
    const silent = await becknNetwork(test, undefined);
    const legs = { moa: legAt('http://127.0.0.1:1'), mh: legAt(silent.url) };
    const settings = { listen: { port: 0 }, search: { timeoutMs: 600_000, legs } };
    const env = { PORTICO_CONFIG: fileWith(test, JSON.stringify(settings)) };
    const { ended, until, type } = inTerminal(test, 'portico search health > /dev/null', { env });
    await until('stdout', /✖\S* moa +\d+ ms {2}bap_unreachable: /);
    await type(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] mh +[1-9]\d* s/, '\u0003');

    expect((await ended).exitCode).toBe(130);
  });

  it('redraws nothing when TERM is dumb', async (test) => {
    const settings = { listen: { port: 0 }, search: { legs: { moa: legAt('http://127.0.0.1:1') } } };
    const env = { PORTICO_CONFIG: fileWith(test, JSON.stringify(settings)), TERM: 'dumb' };
    const { stdout } = await inTerminal(test, 'portico search health', { env }).ended;

    expect(stdout).toMatch(/^✖ moa +\d+ ms {2}bap_unreachable: /);
    expect(stdout).not.toContain(esc);
  });
});

/** Returns the final content of the terminal, without cleared lines. */
const finalScreen = (shown: string): string =>
  plain(
    shown
      .split('\n')
      .map((line) => line.split(`\r${esc}[K`).at(-1))
      .join('\n'),
  );

describe.skipIf(noTerminal !== undefined).concurrent(title('prompts on a terminal'), () => {
  it('prompts for user name and password, hides the password, and writes only the token to stdout', async (test) => {
    const { env, token, forms, out } = await signIn(test);
    const { ended, type } = inTerminal(test, 'portico token > "$OUT"', { env });
    await type(/User name/, 'sample-a\r');
    await type(/Password/, 'hunter2\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, `${token}\n`]);
    expect(stdout).not.toContain('hunter2');
    expect(forms).toEqual([
      { grant_type: 'password', client_id: 'portico-cli', username: 'sample-a', password: 'hunter2' },
    ]);
  });

  it('reads a user name and password that are pasted together, and hides the password', async (test) => {
    const { env, token, forms, out } = await signIn(test);
    const { ended, type } = inTerminal(test, 'portico token > "$OUT"', { env });
    await type(/User name/, 'sample-a\r\nhunter2\r\nmore\r\n');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, `${token}\n`]);
    expect(plain(stdout).replaceAll('\r', '')).toBe('User name: sample-a\nPassword: \n');
    expect(forms).toMatchObject([{ username: 'sample-a', password: 'hunter2' }]);
  });

  it('reads pasted lines whose line ends arrive in two pieces, far apart', async (test) => {
    const { env, token, out } = await signIn(test);
    const { child, ended, until, type } = inTerminal(test, 'portico token > "$OUT"', { env });
    await type(/User name/, 'sample-a\r');
    await until('stdout', /Password/);
    // Longer than the 100 ms for which readline keeps the halves of a line end together.
    await setTimeout(200);
    child.stdin.write('\nhunter2\r\n');
    const { exitCode } = await ended;

    expect([exitCode, out()]).toEqual([0, `${token}\n`]);
  });

  it('continues with the prompt after Ctrl-Z and fg', async (test) => {
    const { env, token, out } = await signIn(test);
    const { ended, type } = inTerminal(test, 'set -m\nportico token > "$OUT"\necho stopped\nfg', { env });
    await type(/User name/, '\u001a');
    await type(/stopped[^]*User name/, 'sample-a\r');
    await type(/Password/, 'hunter2\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()], stdout).toEqual([0, `${token}\n`]);
  });

  it('exits with 5 for an empty user name, without a prompt for the password', async (test) => {
    const { env, forms } = await signIn(test);
    const { ended, type } = inTerminal(test, 'portico token > "$OUT"', { env });
    await type(/User name/, '\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, forms]).toEqual([5, []]);
    expect(stdout).not.toContain('Password:');
  });

  it('prompts only for the password when the user name is set', async (test) => {
    const { env, out } = await signIn(test);
    const user = { ...env, PORTICO_USERNAME: 'sample-a' };
    const { ended, type } = inTerminal(test, 'portico me coverage --json > "$OUT"', { env: user });
    await type(/Password/, 'hunter2\r');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([0, '{"locator":"COV-1"}\n']);
    expect(stdout).not.toContain('User name');
  });

  it('exits with 5 on Ctrl-D at the password prompt, without a warning of Node', async (test) => {
    const { env, out } = await signIn(test);
    const user = { ...env, PORTICO_USERNAME: 'sample-a' };
    const { ended, type } = inTerminal(test, 'portico token > "$OUT"', { env: user });
    await type(/Password/, '\u0004');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out()]).toEqual([5, '']);
    expect(plain(stdout)).not.toMatch(/Warning|main\.ts/);
  });

  it.for([
    ['user name', {}],
    ['password', { PORTICO_USERNAME: 'sample-a' }],
  ] as const)('exits with 130 on Ctrl-C at the prompt for the %s, without an error message', async ([, user], test) => {
    const { env, forms, out } = await signIn(test);
    const { ended, type } = inTerminal(test, 'portico token > "$OUT"', { env: { ...env, ...user } });
    await type(/User name|Password/, '\u0003');
    const { exitCode, stdout } = await ended;

    expect([exitCode, out(), forms]).toEqual([130, '', []]);
    expect(plain(stdout)).not.toContain('portico:');
  });
});
