import { execFileSync } from 'node:child_process';

/** The published packages, dependencies first. */
export const published = [
  'core',
  'adapters-http',
  'adapters-koa',
  'adapters-redis',
  'adapters-session',
  'client',
  'cli',
].map((name) => `@portico/${name}`);

/** The bill of materials (CycloneDX) of what a user of the published packages installs, with licences. */
export const billOfMaterials = (): string =>
  execFileSync(
    'npm',
    ['sbom', '--omit=dev', '--sbom-format=cyclonedx', ...published.map((name) => `--workspace=${name}`)],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
  );
