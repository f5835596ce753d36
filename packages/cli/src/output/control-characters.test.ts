/* oxlint-disable no-control-regex -- the patterns match control characters */
import { PassThrough } from 'node:stream';
import { somePreferences } from '@portico/core/testing';
import { describe, expect, it } from 'vitest';
import {
  fileWith,
  inTerminal,
  memberSetup,
  noTerminal,
  sendStatus,
  tokenEndpoint,
} from '../program/binary.test.support.ts';
import { porticoOnTerminal } from '../program/in-process.test.support.ts';
import { legAt, webServer } from '../program/outside-world.test.support.ts';
import { writeJson } from './write-json.ts';

const esc = '\u001b';

/** Sets the title, clears the screen in two ways, reverses the text, and returns to the start of the line. */
const hostile = `${esc}]0;owned\u0007${esc}[2J\u009b2J\u202eowned\u0085\u007f\u061c\r`;

/** What could control a terminal, except line ends and the colours and status lines that portico itself shows. */
const controlsIn = (shown: string): readonly string[] =>
  shown
    .replaceAll('\r\n', '')
    .replaceAll('\r\u001b[K', '')
    .replaceAll(/\u001b\[\d+m/g, '')
    .match(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g) ?? [];

const notTried = noTerminal === undefined ? '' : ` (not tried: ${noTerminal})`;

describe.concurrent('control characters never reach the terminal', () => {
  it.skipIf(noTerminal !== undefined)(
    `control characters from a service never reach a real terminal${notTried}`,
    async (test) => {
      const { env } = await memberSetup(test, (response) => {
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ locator: hostile }));
      });
      const { stdout } = await inTerminal(test, 'portico me coverage; portico me coverage --json', { env }).ended;
      expect(stdout.match(/owned/g)).toHaveLength(3);
      expect(controlsIn(stdout)).toEqual([]);
    },
  );

  it.for(['config check', 'config check --json', 'config print', 'legs', 'serve'])(
    'control characters from settings never reach the terminal: %s',
    async (command, test) => {
      const leg = { label: hostile, bapUri: hostile, [hostile]: hostile };
      const settings = JSON.stringify({ [hostile]: 1, search: { legs: { [hostile]: leg } } });
      const file = fileWith(test, settings, { name: `settings${hostile}.json` });
      const { exitCode, stdout } = await porticoOnTerminal([...command.split(' '), '--config', file]);
      expect(exitCode).toBe(2);
      expect(stdout).toContain('owned');
      expect(controlsIn(stdout)).toEqual([]);
    },
  );

  it.for(['legs', 'legs --json', 'config print', 'config print --json'])(
    'control characters from valid settings never reach the terminal: %s',
    async (command, test) => {
      const file = fileWith(
        test,
        JSON.stringify({ search: { legs: { moa: legAt('http://127.0.0.1:1', { label: hostile, city: hostile }) } } }),
      );
      const { exitCode, stdout } = await porticoOnTerminal([...command.split(' '), '--config', file]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('moa');
      expect(controlsIn(stdout)).toEqual([]);
    },
  );

  it.for([
    'me claims',
    'me claims --json',
    'me claims --output csv',
    'me claims --output yaml',
    'me coverage',
    'me coverage --json',
    'journey --read-only',
    'journey --read-only --json',
  ])('control characters from a service never reach the terminal: %s', async (command, test) => {
    const body = {
      ...somePreferences,
      notifications: [{ title: hostile }],
      log: [{ channel: hostile }],
      claims: [{ locator: hostile, [hostile]: hostile }],
      locator: hostile,
      [hostile]: [{ [hostile]: 1 }],
    };
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('Content-Type', 'application/json').end(`${JSON.stringify(body)}\r`);
    });
    const { exitCode, stdout } = await porticoOnTerminal(command.split(' '), env);
    expect(exitCode).toBe(0);
    // The table of the journey shows only how many there are.
    if (command !== 'journey --read-only') expect(stdout).toContain('owned');
    expect(controlsIn(stdout)).toEqual([]);
  });

  it.for([
    ['token', { access_token: hostile }],
    ['token type', { access_token: 'x', token_type: hostile }],
    ['error', { error: hostile, error_description: hostile }],
  ] as const)(
    'control characters from an identity provider never reach the terminal: %s',
    async ([name, body], test) => {
      const { withoutToken } = await memberSetup(test);
      const { url } = await tokenEndpoint(test, (response) => sendStatus(response, name === 'error' ? 400 : 200, body));
      const env = { ...withoutToken, IDENTITY_TOKEN_URL: url, PORTICO_USERNAME: 'a', PORTICO_PASSWORD: 'b' };
      const { exitCode, stdout } = await porticoOnTerminal(['token'], env);
      expect(exitCode).toBe(4);
      expect(controlsIn(stdout)).toEqual([]);
    },
  );

  it.for(['doctor', 'doctor --json'])(
    'control characters from an identity provider and a token never reach the terminal: %s',
    async (command, test) => {
      const { url } = await webServer(test, (response) => sendStatus(response, 200, { issuer: hostile }));
      const claims = Buffer.from(JSON.stringify({ iss: hostile })).toString('base64url');
      const token = `${Buffer.from(JSON.stringify({ alg: hostile })).toString('base64url')}.${claims}.c2ln`;
      const env = { IDENTITY_ISSUER: url, CLAIMS_URL: url, PORTICO_TOKEN: token };
      const { exitCode, stdout } = await porticoOnTerminal(command.split(' '), env);
      expect(exitCode).toBe(4);
      expect(stdout).toContain('owned');
      expect(controlsIn(stdout)).toEqual([]);
    },
  );

  it.for(['', '--json'])('control characters from a server never reach the terminal: search %s', async (flag, test) => {
    const trace = { transaction_id: hostile, elapsed_ms: 1, label: hostile };
    const offer = { descriptor: { name: hostile }, items: [{ id: hostile, descriptor: { name: hostile } }] };
    const results = {
      [`a${hostile}`]: { context: {}, message: { catalog: { providers: [offer] } } },
      [`b${hostile}`]: { context: {}, error: { code: hostile, message: hostile } },
      [`c${hostile}`]: null,
    };
    const errors: Readonly<Record<string, object>> = { [`c${hostile}`]: { kind: hostile, detail: hostile } };
    const traces = Object.fromEntries(Object.keys(results).map((leg) => [leg, trace]));
    const events = Object.entries(results).map(
      ([leg, result]) => ['leg', { leg, result, ...(leg in errors && { error: errors[leg] }), trace }] as const,
    );
    const { url } = await webServer(test, (response) => {
      response.setHeader('Content-Type', 'text/event-stream');
      for (const [name, data] of [...events, ['done', { elapsed_ms: 1, ...results, errors, traces }] as const])
        response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
      response.end();
    });
    const command = `search x --persona a --user-id b --server ${url} ${flag}`;
    const { exitCode, stdout } = await porticoOnTerminal(command.trim().split(' '));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('owned');
    expect(controlsIn(stdout)).toEqual([]);
  });

  it.for(['', '--json'])(
    'control characters from problem details of a server never reach the terminal: search %s',
    async (flag, test) => {
      const { url } = await webServer(test, (response) => {
        response.writeHead(400, { 'Content-Type': 'application/problem+json' });
        const errors = [{ path: hostile, message: hostile }];
        const type = 'urn:portico:problem:invalid-request';
        response.end(JSON.stringify({ type, code: 'invalid-request', detail: hostile, errors }));
      });
      const command = `search x --persona a --user-id b --server ${url} ${flag}`;
      const { exitCode, stdout } = await porticoOnTerminal(command.trim().split(' '));
      expect(exitCode).toBe(2);
      expect(stdout).toContain('owned');
      expect(controlsIn(stdout)).toEqual([]);
    },
  );
});

it('writeJson escapes JSON on a terminal without changing its value, and writes it as it is elsewhere', () => {
  const value = { [hostile]: [hostile, '\u2028', 'é'] };
  const json = JSON.stringify(value, undefined, '\r\t');
  const written = (isTTY: boolean) => {
    const stream = Object.assign(new PassThrough(), { isTTY });
    writeJson(json, stream as unknown as NodeJS.WriteStream);
    return String(stream.read());
  };
  expect(controlsIn(written(true).replaceAll(/[\n\t]/g, ''))).toEqual([]);
  expect(JSON.parse(written(true))).toEqual(value);
  expect(written(false)).toBe(`${json}\n`);
});
