import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandHere } from '../command-line/command-here.ts';
import type { Output } from '../command-line/shell.ts';

/** Runs `portico config check` on a settings file of this content, with these variables and no others. */
export const configCheck = async (settings: string, env: Readonly<Record<string, string>>): Promise<Output> => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  const file = join(folder, 'settings.json');
  writeFileSync(file, settings);
  try {
    return await commandHere(['config', 'check', '--config', file], env);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
