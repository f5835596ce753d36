import { describe, expect, it, vi } from 'vitest';
import {
  inShell,
  inTerminal,
  memberSetup,
  noTerminal,
  portico,
  sendStatus,
  startPortico,
  type Test,
} from '../program/binary.test.support.ts';
import { sendJson } from '../program/outside-world.test.support.ts';
import type { CommandContext } from './command.ts';
import { repeat } from './watch.ts';

/** Starts services whose responses are numbered; the second request fails. */
const numbered = async (test: Test) => {
  let count = 0;
  return memberSetup(test, (response) => {
    count += 1;
    if (count === 2) sendStatus(response, 500);
    else response.setHeader('Content-Type', 'application/json').end(`{\n  "locator": "COV-${count}"\n}`);
  });
};

const clear = '\u001b[H\u001b[2J';

describe.concurrent('--watch', () => {
  it('prints one JSON document per line until Ctrl-C, and continues after a failed service', async (test) => {
    const { env } = await numbered(test);
    const { until, interrupt } = startPortico(test, 'me coverage --watch 0.1', { env });
    await until('stdout', /COV-4/);
    const { exitCode, stdout, stderr } = await interrupt();

    expect(exitCode).toBe(130);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      '{ "locator": "COV-1" }',
      expect.stringMatching(/^\{"ok":false,"code":"upstream-failure",.*\}$/),
      '{ "locator": "COV-3" }',
    ]);
    expect(stderr).toMatch(/^portico: .*eligibility/);
  });

  it('prints a response with many spaces at once', async (test) => {
    const spaces = ' '.repeat(1_000_000);
    const { env } = await memberSetup(test, (response) => {
      response.setHeader('Content-Type', 'application/json').end(`{"locator":${spaces}"COV-1"}`);
    });
    const { stdout } = await inShell(test, 'portico me coverage --watch 0.1 | head -1', { env }).ended;

    expect(stdout).toBe(`{"locator":${spaces}"COV-1"}\n`);
  });

  it('ends when the reader of its output has gone', async (test) => {
    const { env } = await numbered(test);
    const { exitCode, stdout } = await inShell(test, 'portico me coverage --watch 0.1 | head -1', { env }).ended;

    expect([exitCode, stdout]).toEqual([0, '{ "locator": "COV-1" }\n']);
  });

  it('ends when the member is not signed in', async (test) => {
    const { withoutToken } = await numbered(test);

    expect(await portico(test, 'me coverage --watch', { env: withoutToken })).toMatchObject({ exitCode: 5 });
  });

  it('ends when the token expires', async (test) => {
    const { now } = Date;
    test.onTestFinished(() => {
      Date.now = now;
    });
    const { env } = await memberSetup(test, (response) => {
      // Ten minutes after the first request, the token of five minutes has expired.
      Date.now = () => now() + 600_000;
      sendJson(response, { locator: 'COV-1' });
    });
    const { exitCode, stdout } = await portico(test, ['me', 'coverage', '--watch', '0.1'], { env });

    expect(exitCode).toBe(5);
    expect(stdout).toMatch(/^\{"locator":"COV-1"\}\n/);
  });

  it.for(['0', 'fast', '-1'])('exits with 2 for an interval of %s', async (interval, test) => {
    const { exitCode, stderr } = await portico(test, ['me', 'coverage', `--watch=${interval}`]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('The value must be a number of seconds');
  });

  it.skipIf(noTerminal !== undefined)('redraws the result on a terminal', async (test) => {
    const { env } = await memberSetup(test);
    const { child, ended, until } = inTerminal(test, 'portico me coverage --watch 0.1', { env });
    const shown = await until('stdout', /(?:COV-1[^]+){2}/);
    expect(shown.split(clear).length).toBeGreaterThan(2);
    child.stdin.write('\u0003');

    expect((await ended).exitCode).toBe(130);
  });
});

it('--watch sends no request before the reader of its output has read the results', async ({ onTestFinished }) => {
  const isFull = vi.spyOn(process.stdout, 'writableNeedDrain', 'get').mockReturnValue(true);
  onTestFinished(() => isFull.mockRestore());
  const stop = new AbortController();
  let runs = 0;
  const run = async () => {
    runs += 1;
    if (runs === 2) stop.abort();
    return 0;
  };
  const context = { options: { watch: '0.001' }, signal: stop.signal } as unknown as CommandContext;
  const ended = repeat(context, run);
  await expect.poll(() => process.stdout.listenerCount('drain')).toBe(1);
  expect(runs).toBe(1);
  process.stdout.emit('drain');
  await ended;
  expect(runs).toBe(2);
});
