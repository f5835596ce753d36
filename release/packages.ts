import { execFileSync } from 'node:child_process';

/** What is published, in an order in which each finds what it needs. */
export const published = ['core', 'adapters-http', 'adapters-koa', 'adapters-redis', 'client', 'cli'].map(
  (name) => `@portico/${name}`,
);

/** What a user of the published packages installs (CycloneDX), with its licences. */
export const billOfMaterials = (): string =>
  execFileSync(
    'npm',
    ['sbom', '--omit=dev', '--sbom-format=cyclonedx', ...published.map((name) => `--workspace=${name}`)],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
  );
