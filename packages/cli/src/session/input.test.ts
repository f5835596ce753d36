import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  documentIn,
  fileWith,
  memberSetup,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../program/binary.test.support.ts';

/** Starts a claims service that accepts every claim and records the requests. */
const claimsService = async (test: Test) => {
  const sent: { readonly body: Buffer; readonly key: unknown }[] = [];
  const setup = await memberSetup(test, (response, request) => {
    void bodyOf(request).then((body) => {
      sent.push({ body, key: request.headers['idempotency-key'] });
      sendStatus(response, 201, { locator: 'CLM-1', status: 'received' });
    });
  });
  return { ...setup, sent };
};

const draft = '{ "type":"dental",\n "amount":12345678901234567890.10, "note":"Grüße 字 \\u00e9", "type2":{}}\n';

describe.concurrent('portico me claims submit', () => {
  it('sends the claim byte for byte, from a file and from stdin', async (test) => {
    const { env, sent, service } = await claimsService(test);
    const file = fileWith(test, draft);
    const [fromFile, fromStdin] = await Promise.all([
      portico(test, `me claims submit ${file} --idempotency-key key-1`, { env }),
      portico(test, 'me claims submit - --idempotency-key key-1 --json', { env, input: draft }),
    ]);

    expect(fromFile).toMatchObject({ exitCode: 0, stdout: 'Locator  CLM-1\nStatus   received\n', stderr: '' });
    expect([fromStdin.exitCode, documentIn(fromStdin)]).toEqual([0, { locator: 'CLM-1', status: 'received' }]);
    expect(sent.map(({ body, key }) => [body.toString(), key])).toEqual([
      [draft, 'key-1'],
      [draft, 'key-1'],
    ]);
    expect(service.received).toEqual(Array(2).fill('POST /claims/members/PTY-1/claims'));
  });

  it.for([
    ['is not JSON', '{"hunter2": hunter2}', /stdin is not valid JSON/],
    ['is truncated', '{"hunter2":', /stdin is not valid JSON/],
    ['is missing', '', /stdin is empty/],
    ['is not UTF-8', Buffer.from('7b2268756e74657232223a22ff227d', 'hex'), /stdin is not/],
    ['is not an object', '["hunter2"]', /object/],
    ['is an empty object', '{}', /must not be empty/],
  ] as const)('exits with 2 for input that %s, without sending or printing it', async ([, input, message], test) => {
    const { env, sent } = await claimsService(test);
    const { exitCode, stdout, stderr } = await portico(test, 'me claims submit - --json', { env, input });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toMatch(message);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(sent).toEqual([]);
  });

  it.for([
    ['from stdin', '-'],
    ['from a file', 'file'],
  ] as const)('exits with 2 for input %s that is too large, and prints the limit', async ([, source], test) => {
    const { env, sent } = await claimsService(test);
    const config = fileWith(test, '{"limits":{"maxRequestBytes":1000}}');
    const input = JSON.stringify({ note: 'hunter2'.repeat(100_000) });
    const file = source === '-' ? '-' : fileWith(test, input);
    const { exitCode, stdout, stderr } = await portico(test, `me claims submit ${file} --config ${config}`, {
      env,
      input,
    });

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('is larger than the limit of 1000 bytes');
    expect(stderr).not.toContain('hunter2');
    expect(sent).toEqual([]);
  });

  it.for([
    ['missing', '/nowhere/claim.json', 'ENOENT'],
    ['a directory', '/', 'EISDIR'],
  ] as const)('exits with 2 when the file is %s', async ([, file, code], test) => {
    const { env } = await claimsService(test);

    expect(await portico(test, `me claims submit ${file}`, { env })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: Cannot read ${file} (${code}).\n`,
    });
  });

  it('exits on Ctrl-C while it reads stdin, and sends nothing', async (test) => {
    const { env, identity, sent } = await claimsService(test);
    const { child, interrupt } = startPortico(test, 'me claims submit - --json', { env, input: null });
    child.stdin.write('{"type":');
    // The keys are requested before stdin is read.
    await expect.poll(() => identity.received, { interval: 5 }).toContain('GET /keys');
    const { exitCode, stdout } = await interrupt();

    expect([exitCode, stdout, sent]).toEqual([130, '', []]);
  });
});
