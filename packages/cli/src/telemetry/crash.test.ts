import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that logs, and then comes to its end in this way. */
const ending = (how: string, stderr: 'pipe' | number = 'pipe') => {
  const script = `
    import { jsonLines } from ${at('./log.ts')};
    import { endOnCrash } from ${at('./crash.ts')};
    process.stderr.on('error', () => {});
    const log = jsonLines('info');
    endOnCrash(log);
    log('info', 'the last thing');
    ${how}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'ignore', stderr] });
};

const linesOf = async (how: string) => {
  const child = ending(how);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const lines = text.split('\n').slice(0, -1);
  return { exitCode, text, lines: lines.map((line) => JSON.parse(line) as unknown) };
};

describe('a process that ends', () => {
  it.each([
    ['by itself', '', 0],
    ['by a call of exit', 'process.exit(3)', 3],
  ])('%s loses no line', async (_how, script, code) => {
    const { exitCode, lines } = await linesOf(script);

    expect(exitCode).toBe(code);
    expect(lines).toMatchObject([{ level: 'info', message: 'the last thing' }]);
  });

  it.each([
    ['an exception', "setImmediate(() => { throw new TypeError('hunter2'); })"],
    ['a rejection', "void Promise.reject(new TypeError('hunter2'))"],
  ])('by %s that nobody caught says so in one line, without its message', async (_what, script) => {
    const { exitCode, text, lines } = await linesOf(script);

    expect(exitCode).toBe(1);
    expect(lines).toMatchObject([
      { level: 'info', message: 'the last thing' },
      {
        level: 'error',
        message: 'uncaught exception',
        error: { name: 'TypeError', at: expect.arrayContaining([expect.stringMatching(/^at /)]) },
      },
    ]);
    expect(text).not.toContain('hunter2');
  });

  it('ends although nobody reads its log any more', async () => {
    const child = ending("setTimeout(() => { log('info', 'unread'); process.exit(3); }, 50)");
    child.stderr?.destroy();

    expect(await once(child, 'close')).toEqual([3, null]);
  });

  it.skipIf(process.platform !== 'linux')('ends although its log is on a full disk', async () => {
    expect(await once(ending('process.exit(3)', openSync('/dev/full', 'w')), 'close')).toEqual([3, null]);
  });
});
