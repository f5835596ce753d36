import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PorticoStartError, startPortico } from './portico.ts';

/** A program in place of `portico` that ends after SIGTERM, and prints whether its settings file is there. */
const slowToStart = `
  import { existsSync } from 'node:fs';
  const config = process.argv[process.argv.indexOf('--config') + 1];
  process.on('SIGTERM', () => process.stderr.write('file: ' + existsSync(config), () => process.exit(0)));
  setInterval(() => {}, 1000);
  process.stderr.write('starting ' + config + '\\n');
`;

/** Lets a program run in place of `portico`. Returns the path of a settings file. */
const insteadOfPortico = (program: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-main-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const main = join(folder, 'main.mjs');
  writeFileSync(main, program);
  vi.stubEnv('PORTICO_MAIN', main);
  return { config: join(folder, 'settings.json') };
};

it('portico serve of the demo keeps compiled code in the project, where no other user can have put it', async () => {
  const { config } = insteadOfPortico('process.stderr.write(process.env.NODE_COMPILE_CACHE)');
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  let stderr = '';
  const onStderr = (text: string) => void (stderr += text);
  await expect(startPortico({}, 0, { config, onStderr })).rejects.toThrow(PorticoStartError);
  const project = fileURLToPath(new URL('../../../', import.meta.url));
  await expect.poll(() => stderr).toBe(join(project, 'node_modules/.cache/portico-demo'));
});

it('the settings file remains until a portico serve that is stopped while it starts has ended', async () => {
  const { config } = insteadOfPortico(slowToStart);
  const stopping = new AbortController();
  let stderr = '';
  const onStderr = (text: string) => {
    stderr += text;
    if (stderr.startsWith('starting')) stopping.abort();
  };
  await expect(startPortico({}, 0, { config, onStderr, signal: stopping.signal })).rejects.toThrow(PorticoStartError);
  expect(stderr).toMatch(/file: true$/);
  expect(existsSync(/starting (.*)/.exec(stderr)![1]!)).toBe(false);
});
