import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { type Preferences, problemOf, startingPreferences, upstream } from '@portico/core';
import { somePreferences as before } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  directory,
  documentIn,
  type Ended,
  fileWith,
  inShell,
  memberSetup,
  nodeArguments,
  patient,
  portico,
  sendStatus,
  startPortico,
  type Test,
  tokenEndpoint,
} from '../program/binary.test.support.ts';
import { sendJson, webServer } from '../program/outside-world.test.support.ts';

/** The step of the journey that sends a request to the notifications service; `restore` follows the steps. */
type RequestingStep =
  | 'get-preferences'
  | 'get-own-preferences'
  | 'put-preferences'
  | 'verify-preferences'
  | 'list-notifications'
  | 'read-log'
  | 'restore';

/** Starts a notifications service that stores preferences. `instead` can replace its response. */
const notificationsService = async (
  test: Test,
  {
    preferences = before,
    title = 'One',
    instead,
  }: {
    readonly preferences?: Preferences | null;
    /** The title of the first notification. */
    readonly title?: string;
    /** Returns true when it sent a response, or when no response must be sent. */
    readonly instead?: (step: RequestingStep, response: ServerResponse) => boolean;
  } = {},
) => {
  const state = { preferences, puts: 0 };
  const requests: RequestingStep[] = [];
  const stepOf = ({ method, url = '' }: IncomingMessage): RequestingStep => {
    if (url.endsWith('/notifications/list')) return 'list-notifications';
    if (url.endsWith('/log/list')) return 'read-log';
    if (url.endsWith('/preferences')) return 'get-own-preferences';
    if (method === 'PUT') return state.puts++ === 0 ? 'put-preferences' : 'restore';
    if (state.puts === 0) return 'get-preferences';
    return state.puts === 1 && !requests.includes('verify-preferences') ? 'verify-preferences' : 'restore';
  };
  const handle = async (response: ServerResponse, request: IncomingMessage) => {
    const step = stepOf(request);
    requests.push(step);
    const body = await bodyOf(request);
    if (instead?.(step, response)) return;
    if (request.method === 'PUT') state.preferences = JSON.parse(body.toString()) as Preferences;
    if (step === 'list-notifications') sendJson(response, { notifications: [{ title }, { title: 'Two' }] });
    else if (step === 'read-log') sendJson(response, { log: [{ channel: 'email' }] });
    else if (state.preferences) sendJson(response, state.preferences);
    else sendStatus(response, 404);
  };
  const setup = await memberSetup(test, (response, request) => void handle(response, request));
  return { ...setup, requests, state };
};

/** Responds with an error at this step. */
const failAt = (failing: RequestingStep | 'token', status = 500) => ({
  instead: (step: RequestingStep, response: ServerResponse) => {
    if (step === failing) sendStatus(response, status, { secret: 'hunter2' });
    return step === failing;
  },
});

/** Sends no response at this step. `underWay` resolves with the response that is missing. */
const hangAt = (hanging: RequestingStep) => {
  const underWay = Promise.withResolvers<ServerResponse>();
  const instead = (step: RequestingStep, response: ServerResponse) => {
    if (step === hanging) underWay.resolve(response);
    return step === hanging;
  };
  return { instead, underWay: underWay.promise };
};

interface Report {
  readonly steps: readonly { readonly name: string; readonly outcome: string; readonly elapsedMs: number }[];
  readonly preferences: string;
}

const reportIn = (ended: Pick<Ended, 'stdout'>) => documentIn(ended) as Report;
const outcomesIn = (ended: Ended) => reportIn(ended).steps.map(({ name, outcome }) => `${name} ${outcome}`);

const allSteps: readonly string[] = [
  'token',
  'get-preferences',
  'get-own-preferences',
  'put-preferences',
  'verify-preferences',
  'list-notifications',
  'read-log',
];
const allOk = allSteps.map((name) => `${name} ok`);

describe.concurrent('the journey of a member with preferences', () => {
  it('inverts one preference, reads it back, and restores the preferences', async (test) => {
    const { env, state, requests } = await notificationsService(test);
    const ended = await portico(test, 'journey --json', { env });

    expect(ended.exitCode).toBe(0);
    expect(documentIn(ended)).toEqual({
      steps: allSteps.map((name) => ({ name, outcome: 'ok', elapsedMs: expect.any(Number) })),
      locator: 'PTY-1',
      before,
      after: { ...before, enrollmentReminders: false },
      notifications: [{ title: 'One' }, { title: 'Two' }],
      log: [{ channel: 'email' }],
      preferences: 'restored',
    });
    expect(requests).toEqual([...allSteps.slice(1), 'restore', 'restore']);
    expect(state.preferences).toEqual(before);
  });

  it('prints the steps on stderr and the result on stdout', async (test) => {
    const { env } = await notificationsService(test);
    const { exitCode, stdout, stderr } = await portico(test, 'journey', { env });

    expect(exitCode).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual(
      allSteps.map((name) => expect.stringMatching(new RegExp(`^✔ ${name.padEnd(19)} +\\d+ ms$`))),
    );
    expect(stdout.replace(/ in \d+ ms\n$/, ' in N ms\n')).toBe(
      [
        'Member PTY-1',
        'Preference           Before  After',
        'email                on      on',
        'sms                  off     off',
        'push                 on      on',
        'claimsUpdates        on      on',
        'billingAlerts        off     off',
        'enrollmentReminders  on      off',
        'Notifications: 2; log entries: 1',
        'The preferences were restored.',
        '7 of 7 steps passed in N ms',
        '',
      ].join('\n'),
    );
  });

  it('sets the preferences of --set, and keeps them with --keep', async (test) => {
    const after = { ...before, email: false, sms: true };
    const [one, other] = await Promise.all([notificationsService(test), notificationsService(test)]);
    const [restored, kept] = await Promise.all([
      portico(test, 'journey --set email=off sms=on --json', { env: one.env }),
      portico(test, 'journey --json --set email=off --set sms=on --keep', { env: other.env }),
    ]);

    expect([restored.exitCode, kept.exitCode]).toEqual([0, 0]);
    expect(documentIn(restored)).toMatchObject({ before, after, preferences: 'restored' });
    expect(documentIn(kept)).toMatchObject({ before, after, preferences: 'kept' });
    expect([one.state.preferences, other.state.preferences]).toEqual([before, after]);
  });

  it('signs in with a user name and a password', async (test) => {
    const { withoutToken, identity } = await notificationsService(test);
    const { url } = await tokenEndpoint(test, (response) => sendJson(response, { access_token: identity.token() }));
    const user = { IDENTITY_TOKEN_URL: url, PORTICO_USERNAME: 'sample-a', PORTICO_PASSWORD: 'hunter2' };
    const ended = await portico(test, 'journey --json', { env: { ...withoutToken, ...user } });

    expect([ended.exitCode, outcomesIn(ended)]).toEqual([0, allOk]);
  });
});

describe.concurrent('the journey of a member without preferences', () => {
  const readOutcomes = ['token ok', 'get-preferences never-set', 'get-own-preferences never-set'];

  it.for(['journey --json', 'journey --json --set email=on', 'journey --json --set email=on --keep'] as const)(
    'writes nothing for a member without preferences, exits with 2 and names the flag that allows it: %s',
    async (args, test) => {
      const { env, state, requests } = await notificationsService(test, { preferences: null });
      const ended = await portico(test, args, { env });

      expect(ended.exitCode).toBe(2);
      expect(outcomesIn(ended)).toEqual([...readOutcomes, ...allSteps.slice(3).map((name) => `${name} skipped`)]);
      expect(documentIn(ended)).toMatchObject({ before: null, preferences: 'untouched' });
      expect(ended.stderr).toMatch(
        /^portico: This member has never set preferences\. None were written.*\n.*--write-first-preferences/m,
      );
      expect([state.puts, requests]).toEqual([0, ['get-preferences', 'get-own-preferences']]);
    },
  );

  it('writes the starting preferences with --write-first-preferences, and reports that they cannot be unset', async (test) => {
    const { env, state } = await notificationsService(test, { preferences: null });
    const ended = await portico(test, 'journey --write-first-preferences --json', { env });

    expect(ended.exitCode).toBe(0);
    expect(outcomesIn(ended)).toEqual([...readOutcomes, ...allOk.slice(3)]);
    expect(documentIn(ended)).toMatchObject({ before: null, after: startingPreferences, preferences: 'not-unset' });
    expect(state.preferences).toEqual(startingPreferences);
  });

  it('shows the first preferences in a table with --write-first-preferences', async (test) => {
    const { env } = await notificationsService(test, { preferences: null });
    const { stdout, stderr } = await portico(test, 'journey --write-first-preferences', { env });

    expect(stderr).toMatch(/^✔ get-preferences +\d+ ms never-set$/m);
    expect(stdout).toMatch(/^email +- +on$/m);
    expect(stdout).toMatch(
      /\nThe preferences had never been set before\. They cannot be unset, so the update was kept\.\n7 of 7 steps passed/,
    );
  });
});

describe.concurrent('the journey with --read-only', () => {
  const readSteps: readonly string[] = ['get-preferences', 'get-own-preferences', 'list-notifications', 'read-log'];

  it('runs only the steps that read with --read-only, and shows the others as skipped', async (test) => {
    const { env, state, requests } = await notificationsService(test);
    const { exitCode, stdout, stderr } = await portico(test, 'journey --read-only', { env });

    expect(exitCode).toBe(0);
    expect(stderr.trimEnd().split('\n')).toEqual(
      allSteps.map((name) =>
        expect.stringMatching(
          name === 'put-preferences' || name === 'verify-preferences'
            ? new RegExp(`^– ${name.padEnd(19)} +skipped$`)
            : new RegExp(`^✔ ${name.padEnd(19)} +\\d+ ms$`),
        ),
      ),
    );
    expect(stdout).toMatch(/^Member PTY-1\nPreference +Value\nemail +on\nsms +off\n/);
    expect(stdout).toMatch(
      /Notifications: 2; log entries: 1\nThe preferences were not changed\.\n5 of 5 steps passed in \d+ ms\n$/,
    );
    expect([requests, state.puts]).toEqual([readSteps, 0]);
  });

  it('exits with 0 for --read-only and a member without preferences', async (test) => {
    const { env, requests } = await notificationsService(test, { preferences: null });
    const ended = await portico(test, 'journey --read-only --json', { env });

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr).not.toContain('portico:');
    expect(documentIn(ended)).toMatchObject({ before: null, preferences: 'untouched', log: [{ channel: 'email' }] });
    expect(requests).toEqual(readSteps);
  });

  it.for(['--set email=on', '--keep', '--write-first-preferences'] as const)(
    'exits with 2 for --read-only together with %s',
    async (option, test) => {
      const { env, requests } = await notificationsService(test);
      const { exitCode, stdout, stderr } = await portico(test, `journey --read-only ${option} --json`, { env });

      expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
      expect(stderr).toContain(`portico: option '--read-only' cannot be used with option '${option.split(' ')[0]}`);
      expect(requests).toEqual([]);
    },
  );
});

describe.concurrent('a failed step of the journey', () => {
  it.for([
    ['token', 5, 'untouched', 'unauthenticated'],
    ['get-preferences', 4, 'untouched', 'upstream-failure'],
    ['get-own-preferences', 4, 'untouched', 'upstream-failure'],
    ['put-preferences', 4, 'unsure', 'upstream-failure'],
    ['verify-preferences', 4, 'restored', 'upstream-failure'],
    ['list-notifications', 4, 'restored', 'upstream-failure'],
    ['read-log', 4, 'restored', 'upstream-failure'],
  ] as const)(
    'ends the journey when %s fails, with exit code %i, and leaves the preferences %s',
    async ([failing, exitCode, preferences, code], test) => {
      const { env, state, identity, requests } = await notificationsService(test, failAt(failing));
      const token = failing === 'token' ? identity.token({ aud: 'hunter2' }) : env.PORTICO_TOKEN;
      const ended = await portico(test, 'journey --json', { env: { ...env, PORTICO_TOKEN: token } });
      const at = allSteps.indexOf(failing);
      const report = reportIn(ended);

      expect(ended.exitCode).toBe(exitCode);
      expect(outcomesIn(ended)).toEqual([
        ...allOk.slice(0, at),
        `${failing} failed`,
        ...allSteps.slice(at + 1).map((name) => `${name} skipped`),
      ]);
      expect(report.steps[at]).toMatchObject({ failure: { code, detail: expect.any(String) } });
      expect(report.preferences).toBe(preferences);
      expect(state.preferences).toEqual(before);
      expect(requests.filter((step) => step !== 'restore')).toEqual(allSteps.slice(1, at + 1));
      expect(ended.stderr).toMatch(new RegExp(`^portico: Step ${failing} failed\\. `, 'm'));
      expect(ended.stdout + ended.stderr).not.toMatch(/hunter2|^\s+at /m);
    },
  );

  it('prints the original preferences when the update may still be applied', async (test) => {
    const { env } = await notificationsService(test, failAt('put-preferences', 504));
    const { exitCode, stdout, stderr } = await portico(test, 'journey', { env });
    const unsure = 'The preferences have their original values, but the update may still be applied.';

    expect(exitCode).toBe(4);
    expect(stdout).toMatch(new RegExp(`^Member PTY-1\\n${unsure}\\n3 of 7 steps passed in \\d+ ms\\n$`));
    expect(stderr).toMatch(/^portico: Step put-preferences failed\./m);
    expect(stderr).toContain(
      `portico: ${unsure}\n  To restore them: portico me preferences set email=on sms=off push=on claimsUpdates=on billingAlerts=off enrollmentReminders=on\n`,
    );
  });

  it('prints the steps that were skipped after a failed step', async (test) => {
    const { env } = await notificationsService(test, failAt('verify-preferences'));
    const { exitCode, stdout, stderr } = await portico(test, 'journey', { env });

    expect(exitCode).toBe(4);
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^✔ token /),
      expect.stringMatching(/^✔ get-preferences /),
      expect.stringMatching(/^✔ get-own-preferences /),
      expect.stringMatching(/^✔ put-preferences /),
      expect.stringMatching(/^✖ verify-preferences .* failed$/),
      expect.stringMatching(/^– list-notifications .* skipped$/),
      expect.stringMatching(/^– read-log .* skipped$/),
      `portico: Step verify-preferences failed. ${problemOf(upstream('notifications', 'status')).detail}`,
    ]);
    expect(stdout).toMatch(/^Member PTY-1\nThe preferences were restored\.\n4 of 7 steps passed in \d+ ms\n$/);
  });
});

describe.concurrent('preferences that cannot be restored', () => {
  it('exits with 4 when the preferences cannot be restored', async (test) => {
    const { env, state } = await notificationsService(test, failAt('restore'));
    const ended = await portico(test, 'journey --json', { env });

    expect([ended.exitCode, outcomesIn(ended), reportIn(ended).preferences]).toEqual([4, allOk, 'not-restored']);
    expect(ended.stderr).toContain('portico: The preferences could not be restored and may have changed.\n');
    expect(state.preferences).toEqual({ ...before, enrollmentReminders: false });
  });

  it('reports a failed step and a failed restore together', async (test) => {
    const { env } = await notificationsService(test, {
      instead: (step, response) => {
        const fails = step === 'restore' || step === 'read-log';
        if (fails) sendStatus(response, 500);
        return fails;
      },
    });
    const { exitCode, stdout, stderr } = await portico(test, 'journey', { env });

    expect(exitCode).toBe(4);
    expect(stderr).toContain('portico: Step read-log failed.');
    expect(stdout + stderr).toContain('The preferences could not be restored and may have changed.');
  });
});

describe.concurrent('Ctrl-C during the journey', () => {
  it('restores the preferences on Ctrl-C and exits with 130', async (test) => {
    const { instead, underWay } = hangAt('verify-preferences');
    const { env, state } = await notificationsService(test, { instead });
    const { interrupt } = startPortico(test, 'journey --json', { env: { ...env, ...patient } });
    const response = await underWay;
    expect(state.preferences).toEqual({ ...before, enrollmentReminders: false });
    const ending = interrupt();
    setTimeout(() => sendJson(response, state.preferences), 20);
    const ended = await ending;

    expect(ended.exitCode).toBe(130);
    expect(state.preferences).toEqual(before);
    expect(reportIn(ended)).toMatchObject({ preferences: 'restored' });
    expect(outcomesIn(ended).slice(5)).toEqual(['list-notifications skipped', 'read-log skipped']);
  });

  it('prints the original preferences when Ctrl-C leaves no time to restore them', async (test) => {
    const underWay = Promise.withResolvers<void>();
    let isHanging = false;
    const { env } = await notificationsService(test, {
      instead: (step) => {
        isHanging ||= step === 'verify-preferences';
        if (isHanging) underWay.resolve();
        return isHanging;
      },
    });
    const { interrupt } = startPortico(test, 'journey --json', { env });
    await underWay.promise;
    const ended = await interrupt();

    expect(ended.exitCode).toBe(130);
    expect(reportIn(ended)).toMatchObject({ before, preferences: 'not-restored' });
    expect(ended.stderr).toMatch(
      /may have changed\.\n {2}To restore them: portico me preferences set email=on sms=\w+ /,
    );
  });

  it('prints the document without --jq, and completely, when Ctrl-C leaves no time', async (test) => {
    const underWay = Promise.withResolvers<void>();
    let isHanging = false;
    const { env } = await notificationsService(test, {
      title: 'x'.repeat(300_000),
      instead: (step) => {
        isHanging ||= step === 'read-log';
        if (isHanging) underWay.resolve();
        return isHanging;
      },
    });
    // This process may not read for longer than portico waits for its reader.
    const file = join(directory(test), 'stdout');
    const script = `exec > >(exec cat > ${file}); exec "$NODE" ${nodeArguments.join(' ')} journey --jq .preferences`;
    const { interrupt } = inShell(test, script, { env });
    await underWay.promise;
    const { exitCode } = await interrupt();
    const stdout = readFileSync(file, 'utf8');

    expect(exitCode).toBe(130);
    expect(stdout.length).toBeGreaterThan(300_000);
    expect(reportIn({ stdout })).toMatchObject({ before, preferences: 'not-restored' });
  });

  it('does not report restored preferences as not restored when Ctrl-C interrupts the output', async (test) => {
    const { env, state } = await notificationsService(test);
    const { url, firstRequest } = await webServer(test, () => {});
    // Ends for the check of the expression, which has no input, and not for the result.
    const script = `#!${process.execPath}\nprocess.stdin.once('data', () => require('node:http').get('${url}'));\n`;
    const jq = fileWith(test, script, { name: 'jq', mode: 0o700 });
    const { interrupt } = startPortico(test, 'journey --jq .', { env: { ...env, PATH: dirname(jq) } });
    await firstRequest;
    const { exitCode, stdout, stderr } = await interrupt();

    expect([exitCode, stdout, state.preferences]).toEqual([130, '', before]);
    expect(stderr).not.toContain('could not be restored');
  });

  it('restores the preferences when the interrupted step never ends', async (test) => {
    const { instead, underWay } = hangAt('verify-preferences');
    const { env, state } = await notificationsService(test, { instead });
    const { interrupt } = startPortico(test, 'journey --json', { env: { ...env, ...patient } });
    await underWay;
    const { exitCode } = await interrupt();

    expect([exitCode, state.preferences]).toEqual([130, before]);
  });

  it('does not report "restored" after Ctrl-C while the update may still be applied', async (test) => {
    const { instead, underWay } = hangAt('put-preferences');
    const { env } = await notificationsService(test, { instead });
    const { interrupt } = startPortico(test, 'journey --json', { env });
    await underWay;
    const ended = await interrupt();

    expect(ended.exitCode).toBe(130);
    // "not-restored" when a slow machine has too little time to read the preferences back.
    expect(['unsure', 'not-restored']).toContain(reportIn(ended).preferences);
    expect(ended.stderr).toMatch(/^ {2}To restore them: portico me preferences set email=on sms=off /m);
    expect(ended.stderr).not.toMatch(/Step \S+ failed/);
  });

  it('changes nothing when Ctrl-C arrives before the update', async (test) => {
    const { instead, underWay } = hangAt('get-preferences');
    const { env, requests } = await notificationsService(test, { instead });
    const { interrupt } = startPortico(test, 'journey', { env });
    await underWay;
    const { exitCode, stderr } = await interrupt();

    expect([exitCode, requests]).toEqual([130, ['get-preferences']]);
    expect(stderr).not.toContain('portico:');
  });
});

describe.concurrent('a journey that cannot start', () => {
  it.for([
    [
      'unknown preferences',
      'journey --set fax=on email=maybe --json',
      /fax: unknown preference[^]*email: must be email=on/,
    ],
    ['assignments without --set', 'journey email=on', /too many arguments|--set/],
  ] as const)('exits with 2 for a journey with %s', async ([, args, message], test) => {
    const { env, requests } = await notificationsService(test);
    const ended = await portico(test, args, { env });

    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(message);
    expect(requests).toEqual([]);
  });

  it('exits with 5 for a journey without a token, and prints a hint', async (test) => {
    const { withoutToken, requests } = await notificationsService(test);
    const ended = await portico(test, 'journey --json', { env: withoutToken });

    expect([ended.exitCode, requests]).toEqual([5, []]);
    expect(ended.stderr).toMatch(/^portico: .*\n {2}Sign in with "portico login", or set PORTICO_TOKEN/);
    expect(documentIn(ended)).toMatchObject({ ok: false, code: 'unauthenticated' });
  });
});
