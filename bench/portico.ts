import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, start, type StartOptions } from './child-process.ts';

/** The built `portico` command. */
export const porticoCommand = new URL('../packages/cli/bin/portico.js', import.meta.url);

/** Starts `portico serve` with these settings, which are written to the folder. */
export const startPortico = (
  settings: object,
  folder: string,
  options: Omit<StartOptions, 'args'> = {},
): Promise<Child> => {
  const file = join(folder, 'portico.json');
  writeFileSync(file, JSON.stringify(settings));
  return start(porticoCommand, { ...options, args: ['serve', '--json', '--config', file] });
};
