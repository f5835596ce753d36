import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Packed {
  /** An existing folder for the projects. */
  readonly folder: string;
  /** The packed packages. */
  readonly tarballs: readonly string[];
  readonly run: (directory: string, command: string, ...rest: readonly string[]) => Promise<string>;
}

// The first installation has filled npm's cache.
const quietly = ['--no-audit', '--no-fund', '--prefer-offline'];

/**
 * Creates a project of each kind with the packed create-portico, installs the packed packages in it, and runs its type check
 * and its tests. Returns the kinds.
 */
export const tryStarters = async ({ folder, tarballs, run }: Packed): Promise<readonly string[]> => {
  const starter = tarballs.filter((path) => path.includes('create-portico'));
  const packages = tarballs.filter((path) => !starter.includes(path));
  const home = join(folder, 'starters');
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true }');
  await run(home, 'npm', 'install', ...quietly, ...starter);
  const command = join(home, 'node_modules/.bin/create-portico');
  // `  --kind <kind>  serve: the member API …`, and one line for each other kind.
  const help = await run(home, command, '--help');
  const kinds = Array.from(help.matchAll(/^ +(?:--kind <kind> +)?(\w+): /gm), ([, kind = '']) => kind);
  if (kinds.length === 0) throw new Error(`The help of create-portico lists no kinds:\n${help}`);
  for (const kind of kinds) {
    const project = join(folder, `starter-${kind}`);
    await run(folder, command, project, '--kind', kind, '--yes');
    // The packages are not in the registry yet: all of them come from the tarballs.
    await run(project, 'npm', 'install', ...quietly, '--save-dev', ...packages);
    await run(project, 'npm', 'run', 'check');
    const output = await run(project, 'npm', 'test');
    if (!/^ℹ pass [1-9]/m.test(output)) throw new Error(`The tests of ${kind} did not run:\n${output}`);
  }
  return kinds;
};
