import { execFileSync } from 'node:child_process';

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

/** The bill of materials (CycloneDX) of what a user of the published packages installs, with licences. */
export const billOfMaterials = (): string =>
  execFileSync(
    'npm',
    ['sbom', '--omit=dev', '--sbom-format=cyclonedx', ...published.map((name) => `--workspace=${name}`)],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
  );
