import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The published packages, dependencies first. */
export const published = [
  '@portico/core',
  '@portico/adapters-http',
  '@portico/adapters-koa',
  '@portico/adapters-redis',
  '@portico/adapters-session',
  '@portico/client',
  '@portico/cli',
  'create-portico',
] as const;

/** The folder of a published package. */
export const folderOf = (name: string): string => `packages/${name.replace('@portico/', '')}`;

const workspaces = published.map((name) => `--workspace=${name}`);

/** Packs the published packages into a folder, as for the registry. Returns the tarball of each. */
export const pack = (folder: string): ReadonlyMap<string, string> => {
  const output = execFileSync('npm', ['pack', '--json', `--pack-destination=${folder}`, ...workspaces], {
    encoding: 'utf8',
    // Lists every file of each package.
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const tarballs = JSON.parse(output) as readonly { readonly name: string; readonly filename: string }[];
  return new Map(tarballs.map(({ name, filename }) => [name, join(folder, filename)]));
};

interface Installed {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, Installed>>;
}

/**
 * The licence of every package (`name@version`) that a user of the published packages installs. Not from `npm sbom --omit=dev`:
 * it omits each package that any workspace has as a development dependency.
 */
export const licencesOfInstalled = (): ReadonlyMap<string, string> => {
  const output = execFileSync('npm', ['ls', '--all', '--json', '--long', '--omit=dev', ...workspaces], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const licences = new Map<string, string>();
  const add = ({ dependencies = {} }: Installed): void => {
    for (const [name, installed] of Object.entries(dependencies)) {
      // An optional dependency that is not installed has no version.
      if (installed.version !== undefined)
        licences.set(`${name}@${installed.version}`, installed.license ?? 'no licence');
      add(installed);
    }
  };
  add(JSON.parse(output) as Installed);
  return licences;
};
