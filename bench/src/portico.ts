import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, start } from './children.ts';

const cli = fileURLToPath(new URL('../../packages/cli/bin/portico.js', import.meta.url));

/** `portico serve` as it ships, with these settings. */
export const startPortico = (settings: object, folder: string): Promise<Child> => {
  const file = join(folder, 'portico.json');
  writeFileSync(file, JSON.stringify(settings));
  return start(cli, ['serve', '--json', '--config', file]);
};
