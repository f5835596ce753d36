import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** Starts a process that logs a line and then runs this script. */
const startProcess = (exitScript: string, stderr: 'pipe' | number = 'pipe') => {
  const script = `
    import { jsonLines } from ${at('./log.ts')};
    import { endOnCrash } from ${at('./crash.ts')};
    process.stderr.on('error', () => {});
    const log = jsonLines('info');
    endOnCrash(log);
    log('info', 'last line');
    ${exitScript}`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'ignore', stderr] });
};

const linesOf = async (exitScript: string) => {
  const child = startProcess(exitScript);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const lines = text.split('\n').slice(0, -1);
  return { exitCode, text, lines: lines.map((line) => JSON.parse(line) as unknown) };
};

describe('the log of a process that ends', () => {
  it.each([
    ['a normal exit', '', 0],
    ['process.exit', 'process.exit(3)', 3],
  ])('loses no line on %s', async (_name, script, code) => {
    const { exitCode, lines } = await linesOf(script);

    expect(exitCode).toBe(code);
    expect(lines).toMatchObject([{ level: 'info', message: 'last line' }]);
  });

  it.each([
    ['an uncaught exception', "setImmediate(() => { throw new TypeError('hunter2'); })"],
    ['an unhandled rejection', "void Promise.reject(new TypeError('hunter2'))"],
  ])('logs %s in one line, without its message', async (_name, script) => {
    const { exitCode, text, lines } = await linesOf(script);

    expect(exitCode).toBe(1);
    expect(lines).toMatchObject([
      { level: 'info', message: 'last line' },
      {
        level: 'error',
        message: 'uncaught exception',
        error: { name: 'TypeError', at: expect.arrayContaining([expect.stringMatching(/^at /)]) },
      },
    ]);
    expect(text).not.toContain('hunter2');
  });

  it('exits when stderr is closed', async () => {
    const child = startProcess("setTimeout(() => { log('info', 'unread'); process.exit(3); }, 50)");
    child.stderr?.destroy();

    expect(await once(child, 'close')).toEqual([3, null]);
  });

  it.skipIf(process.platform !== 'linux')('exits when stderr is a full disk', async () => {
    expect(await once(startProcess('process.exit(3)', openSync('/dev/full', 'w')), 'close')).toEqual([3, null]);
  });
});
