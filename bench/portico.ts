import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, start, type StartOptions } from './child-process.ts';

/** The built `portico` command of a checkout. */
export const commandOf = (checkout: URL): URL => new URL('packages/cli/bin/portico.js', checkout);

/** The built `portico` command. */
export const porticoCommand = commandOf(new URL('../', import.meta.url));

/** Starts `portico serve` with these settings, which are written to the folder. */
export const startPortico = (
  settings: object,
  folder: string,
  options: Omit<StartOptions, 'args'> = {},
  command: URL = porticoCommand,
): Promise<Child> => {
  const file = join(folder, 'portico.json');
  writeFileSync(file, JSON.stringify(settings));
  return start(command, { ...options, args: ['serve', '--json', '--config', file] });
};
