import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../command-line/shell.ts';

/** Runs `portico config check` on a settings file of this content, with these variables, a compile cache, and no others. */
export const configCheck = async (
  settings: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number; readonly output: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  const file = join(folder, 'settings.json');
  writeFileSync(file, settings);
  const main = process.env['PORTICO_MAIN'] ?? fileURLToPath(import.meta.resolve('@portico/cli/main'));
  const args = ['--min-semi-space-size=16', '--conditions=@portico/source', main, 'config', 'check', '--config', file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...compileCache, ...env } }, (error, stdout, stderr) => {
      rmSync(folder, { recursive: true });
      resolve({ exitCode: error ? Number(error.code ?? 255) : 0, output: stdout + stderr });
    });
  });
};
