import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs `portico config check` on a settings file of this content, with these variables and no others. */
export const configCheck = async (
  settings: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly exitCode: number; readonly output: string }> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  const file = join(folder, 'settings.json');
  writeFileSync(file, settings);
  const main = process.env['PORTICO_MAIN'] ?? fileURLToPath(import.meta.resolve('@portico/cli/main'));
  const args = ['--conditions=@portico/source', main, 'config', 'check', '--config', file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      rmSync(folder, { recursive: true });
      resolve({ exitCode: error ? Number(error.code ?? 255) : 0, output: stdout + stderr });
    });
  });
};
