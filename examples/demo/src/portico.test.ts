import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

it('the settings file remains until a portico serve that is stopped while it starts has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-main-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const [main, config] = [join(folder, 'main.mjs'), join(folder, 'settings.json')];
  writeFileSync(main, slowToStart);
  vi.stubEnv('PORTICO_MAIN', main);
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
