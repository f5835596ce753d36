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

/** A claims system that takes any claim, and what it was sent. */
const claimsSystem = async (test: Test) => {
  const sent: { readonly body: Buffer; readonly key: unknown }[] = [];
  const world = await memberSetup(test, (response, request) => {
    void bodyOf(request).then((body) => {
      sent.push({ body, key: request.headers['idempotency-key'] });
      sendStatus(response, 201, { locator: 'CLM-1', status: 'received' });
    });
  });
  return { ...world, sent };
};

const draft = '{ "type":"dental",\n "amount":12345678901234567890.10, "note":"Grüße 字 \\u00e9", "type2":{}}\n';

describe.concurrent('a claim', () => {
  it('goes to the claims system byte for byte, from a file and from stdin', async (test) => {
    const { env, sent, service } = await claimsSystem(test);
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
    expect(service.heard).toEqual(Array(2).fill('POST /claims/members/PTY-1/claims'));
  });

  it.for([
    ['is not JSON', '{"hunter2": hunter2}', /stdin is not JSON/],
    ['is not all there', '{"hunter2":', /stdin is not JSON/],
    ['is not there', '', /stdin is empty/],
    ['is not UTF-8', Buffer.from('7b2268756e74657232223a22ff227d', 'hex'), /stdin is not/],
    ['is no object', '["hunter2"]', /object/],
    ['is an empty object', '{}', /must not be empty/],
  ] as const)('that %s makes it 2, is not sent, and is not quoted', async ([, input, message], test) => {
    const { env, sent } = await claimsSystem(test);
    const { exitCode, stdout, stderr } = await portico(test, 'me claims submit - --json', { env, input });

    expect([exitCode, documentIn({ stdout })]).toMatchObject([2, { ok: false, code: 'invalid-request' }]);
    expect(stderr).toMatch(message);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(sent).toEqual([]);
  });

  it.for([
    ['from stdin', '-'],
    ['from a file', 'file'],
  ] as const)('that is too large, %s, makes it 2 and says how much is taken', async ([, source], test) => {
    const { env, sent } = await claimsSystem(test);
    const config = fileWith(test, '{"limits":{"maxRequestBytes":1000}}');
    const input = JSON.stringify({ note: 'hunter2'.repeat(100_000) });
    const file = source === '-' ? '-' : fileWith(test, input);
    const { exitCode, stdout, stderr } = await portico(test, `me claims submit ${file} --config ${config}`, {
      env,
      input,
    });

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('holds more than the 1000 bytes that are taken');
    expect(stderr).not.toContain('hunter2');
    expect(sent).toEqual([]);
  });

  it.for([
    ['not there', '/nowhere/claim.json', 'ENOENT'],
    ['a directory', '/', 'EISDIR'],
  ] as const)('in a file that is %s makes it 2', async ([, file, code], test) => {
    const { env } = await claimsSystem(test);

    expect(await portico(test, `me claims submit ${file}`, { env })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `portico: ${file} cannot be read (${code}).\n`,
    });
  });

  it('that is still being typed is given up on Ctrl-C, and not sent', async (test) => {
    const { env, identity, sent } = await claimsSystem(test);
    const { child, interrupt } = startPortico(test, 'me claims submit - --json', { env, input: null });
    child.stdin.write('{"type":');
    // The keys are asked for before stdin is read.
    await expect.poll(() => identity.heard, { interval: 5 }).toContain('GET /keys');
    const { exitCode, stdout } = await interrupt();

    expect([exitCode, stdout, sent]).toEqual([130, '', []]);
  });
});
