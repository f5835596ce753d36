import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { start } from './child-process.ts';

vi.mock('node:fs', { spy: true });

const folder = fs.mkdtempSync(join(tmpdir(), 'portico-child-'));
const logFile = `${folder}/log`;
const script = pathToFileURL(`${folder}/script.mjs`);
fs.writeFileSync(
  script,
  `process.on('message', ({ text, code }) => {
     if (code === undefined) return process.send({ text });
     console.error('the reason');
     process.exit(code);
   });
   console.log('{"port":1}');`,
);

describe('a process of a benchmark', () => {
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  afterEach(() => void vi.mocked(fs.readFileSync).mockClear());

  it('replies to one message after the other, and its log is not read when it is stopped', async () => {
    const child = await start(script, { logFile });
    const replies = await Promise.all([child.request({ text: 'a' }), child.request({ text: 'b' })]);
    expect([child.ready, ...replies]).toEqual([{ port: 1 }, { text: 'a' }, { text: 'b' }]);
    await child.stop();
    // Once for each reply, the log of all requests would fill the memory of the benchmark.
    expect(fs.readFileSync).not.toHaveBeenCalled();
  });

  it('rejects a request with the end of the log when the process exits, and all later ones', async () => {
    const child = await start(script, { logFile });
    await expect(child.request({ code: 3 })).rejects.toThrow(/exited with 3:\nthe reason\n/);
    await expect(child.request({ text: 'a' })).rejects.toThrow(/exited with 3/);
  });

  it('rejects when the process exits before it is ready', async () => {
    const broken = pathToFileURL(`${folder}/broken.mjs`);
    fs.writeFileSync(broken, 'process.exit(4)');
    await expect(start(broken, { logFile })).rejects.toThrow(/exited with 4/);
  });
});
