import { describe, expect, it } from 'vitest';
import { memberSetup, portico, sendStatus, startPortico } from '../../program/binary.test.support.ts';
import { bearer, closedPort, sendJson, webServer } from '../../program/outside-world.test.support.ts';
import { type SentRequest, watchRequests } from './call-lines.ts';

const callLines = (stderr: string) => stderr.split('\n').filter((line) => / in \d+ ms, request id /.test(line));
const withoutTime = (line: string) => line.replace(/ in \d+ ms/, '');

describe('--verbose shows each request to a service on stderr', () => {
  it('--verbose shows a request with its method, service, status, milliseconds and request id', async (test) => {
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('X-Request-Id', 'req-7f8f');
      sendJson(response, { claims: [] });
    });
    const { exitCode, stdout, stderr } = await portico(test, 'me claims --status paid --json --verbose', { env });

    expect([exitCode, stdout]).toEqual([0, '{"claims":[]}\n']);
    expect(callLines(stderr).map(withoutTime)).toEqual([
      'portico: GET identity: 200, request id none',
      'portico: GET identity: 200, request id none',
      'portico: GET claims: 200, request id req-7f8f',
    ]);
  });

  it('--verbose shows a failed request without URL, token, locator, query or a request id that may be private', async (test) => {
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('X-Request-Id', 'PTY-1 canary@example');
      sendStatus(response, 500, { canary: true });
    });
    const { exitCode, stderr } = await portico(test, 'me claims --type canary --verbose', { env });

    expect(exitCode).toBe(4);
    expect(callLines(stderr).map(withoutTime)).toContain('portico: GET claims: 500, request id none');
    expect(stderr).not.toMatch(/canary|PTY-1|127\.0\.0\.1|members/);
    const [, payload, signature] = env.PORTICO_TOKEN.split('.');
    for (const part of [payload, signature]) expect(stderr).not.toContain(part);
  });

  it('--verbose shows the code of the failure when there is no response', async (test) => {
    const { env } = await memberSetup(test);
    const down = { ...env, CLAIMS_URL: `http://127.0.0.1:${closedPort}` };
    const { stderr } = await portico(test, 'me claims --verbose', { env: down });

    expect(callLines(stderr).map(withoutTime)).toContain('portico: GET claims: ECONNREFUSED, request id none');
  });

  it('--verbose shows the requests of a server as JSON lines, like its log', async (test) => {
    const { env } = await memberSetup(test);
    const server = startPortico(test, 'serve --verbose', { env: { ...env, PORT: '0' } });
    const url = /http:\S+/.exec(await server.until('stdout', /listens on \S+\n/))?.[0];
    await fetch(`${url}/me/coverage`, bearer(env.PORTICO_TOKEN));
    const log = await server.until('stderr', /"service":"eligibility".*\n/);
    const lines = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

    expect(lines.find(({ service }) => service === 'eligibility')).toEqual({
      level: 'info',
      time: expect.any(String),
      message: 'downstream request',
      method: 'GET',
      service: 'eligibility',
      status: 200,
      durationMs: expect.any(Number),
    });
  });
});

it('requests are reported until the watch ends', async (test) => {
  const { url } = await webServer(test, (response) => response.end());
  const reported: SentRequest[] = [];
  const stop = watchRequests(
    (at) => at,
    (request) => {
      if (request.service.startsWith(url)) reported.push(request);
    },
  );
  await fetch(`${url}/one`);
  stop();
  await fetch(`${url}/two`);

  expect(reported).toEqual([{ method: 'GET', service: `${url}/one`, status: 200, durationMs: expect.any(Number) }]);
});
