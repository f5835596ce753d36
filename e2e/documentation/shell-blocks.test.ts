import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Environment, startEnvironment } from '@portico/demo/environment';
import { reservePort } from '@portico/demo/ports';
import { openShell } from '../command-line/shell.ts';
import { isInstalled } from '../deployment/installed-tool.ts';
import { project } from '../project-file.ts';
import { docs, type Output, run } from './docs-command.ts';

/** The shell blocks of a page; see tools/docs/shell-blocks.ts. */
interface ShellPage {
  readonly file: string;
  readonly runs: 'run' | 'fresh' | 'packed';
  readonly script: string;
  readonly outputs: Readonly<Record<number, string>>;
  readonly saved: Readonly<Record<string, string>>;
}

/**
 * command-line.test.ts runs the commands of that page and compares the output of each. tools/packages/newcomer.ts runs the
 * packed blocks.
 */
const pages = (JSON.parse((await docs('shell-blocks', project)).stdout) as readonly ShellPage[]).filter(
  ({ file, runs }) => file !== 'docs/command-line.md' && runs !== 'packed',
);

it('the documentation has shell blocks of both kinds', () => {
  expect(new Set(pages.map(({ runs }) => runs))).toEqual(new Set(['run', 'fresh']));
});

const expectOutput = ({ outputs }: ShellPage, { stdout, stderr }: Output): void => {
  expect(stdout.endsWith('«end»\n'), stdout + stderr).toBe(true);
  const parts = new Map(
    Array.from(stdout.matchAll(/«(\d+)»\n([^«]*)/g), ([, line = '', text = '']) => [line, text.trimEnd()]),
  );
  for (const [line, output] of Object.entries(outputs))
    expect(parts.get(line), `line ${line}`).toMatch(new RegExp(output));
};

describe('shell blocks in a running environment', () => {
  let environment: Environment;

  beforeAll(async () => {
    environment = await startEnvironment({ network: { callbacks: { count: 6 } } });
  });
  afterAll(() => environment.close());

  it.skipIf(!isInstalled('curl')).for(pages.filter(({ runs }) => runs === 'run'))(
    'print the documented output: $file',
    async (page) => {
      const shell = openShell(environment);
      onTestFinished(shell.close);
      const script = page.script
        .replaceAll('http://127.0.0.1:8080', environment.portico.url)
        .replaceAll('"$PWD/.portico/settings.json"', environment.portico.config);
      expectOutput(page, await shell.run(script));
    },
  );
});

/** Replaces the ports on 127.0.0.1 that a page uses by free ones. */
const withFreePorts = async (page: ShellPage): Promise<ShellPage> => {
  const text = JSON.stringify(page);
  const used = [...new Set(Array.from(text.matchAll(/127\.0\.0\.1:(\d+)/g), ([, port = '']) => port))];
  const free = await Promise.all(used.map(async (port) => [port, String(await reservePort())] as const));
  return JSON.parse(
    free.reduce((replaced, [port, other]) => replaced.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), other), text),
  ) as ShellPage;
};

describe('shell blocks in an empty folder with the built packages', () => {
  it.for(pages.filter(({ runs }) => runs === 'fresh'))('print the documented output: $file', async (documented) => {
    const page = await withFreePorts(documented);
    const folder = mkdtempSync(join(tmpdir(), 'portico-fresh-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    for (const [name, text] of Object.entries(page.saved)) writeFileSync(join(folder, name), text);
    const path = [dirname(process.execPath), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    expectOutput(page, await run('bash', ['-c', page.script], folder, { PATH: path, HOME: folder }));
  });
});
