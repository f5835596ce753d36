/** Allowed imports of a package. `files` adds to `imports` for single files, `tests` for tests and their support files. */
export interface PackageRule {
  /** Relative to the project; `examples/*` is every folder in `examples` without a rule. */
  readonly folder: string;
  /**
   * `neverthrow` includes its subpaths, `node:*` all modules of Node. Entry points of our packages are listed one by one.
   * `'anything'` is any module and any published entry point.
   */
  readonly imports: readonly string[] | 'anything';
  readonly files?: Readonly<Record<string, readonly string[]>>;
  readonly tests?: readonly string[] | 'anything';
}

/** Maximum number of source files in a folder; more need subfolders. Tests (`*.test.ts`, `*.test.support.ts`) do not count. */
export const maxSourcesPerFolder = 12;

const testTools = ['vitest', 'fast-check', 'node:*', 'neverthrow', '@portico/core', '@portico/core/testing'];
const container = ['inversify', 'reflect-metadata', '@portico/core/inversify'];

/**
 * Allowed imports of each package (docs/architecture.md). Relative imports stay inside their package. Packages import
 * each other only by their entry points.
 */
export const packageRules: readonly PackageRule[] = [
  {
    folder: 'packages/core',
    imports: ['neverthrow'],
    files: { 'inversify.ts': ['inversify'] },
    // Tests of the core do not use Node either.
    tests: ['vitest', 'fast-check', 'inversify'],
  },
  {
    folder: 'packages/adapters-http',
    imports: [
      '@portico/core',
      '@portico/core/system',
      'neverthrow',
      'ky',
      'jose',
      'undici',
      '@opentelemetry/api',
      'node:*',
    ],
    files: { 'inversify.ts': container },
    tests: [...testTools, ...container, 'nock'],
  },
  {
    folder: 'packages/adapters-koa',
    imports: [
      '@portico/core',
      '@portico/core/system',
      'neverthrow',
      'koa',
      'koa-compose',
      'proxy-addr',
      '@koa/cors',
      '@koa/router',
      '@opentelemetry/api',
      'node:*',
    ],
    files: { 'inversify.ts': container },
    tests: [...testTools, ...container, 'ajv', 'ajv-formats'],
  },
  {
    folder: 'packages/adapters-redis',
    imports: [
      '@portico/core',
      '@portico/core/system',
      'neverthrow',
      '@redis/client',
      'rate-limiter-flexible',
      'node:*',
    ],
    files: { 'inversify.ts': container },
    tests: [...testTools, ...container, 'get-port'],
  },
  {
    folder: 'packages/adapters-session',
    imports: ['@portico/core', '@portico/core/system', 'neverthrow', 'jose', 'oauth4webapi', 'on-headers', 'node:*'],
    files: { 'inversify.ts': container },
    tests: [...testTools, ...container],
  },
  {
    // Runs in browsers, too: no Node.
    folder: 'packages/client',
    imports: ['@portico/core', 'neverthrow', 'eventsource-parser'],
    tests: [...testTools, '@portico/adapters-koa'],
  },
  {
    folder: 'packages/cli',
    imports: [
      '@portico/core',
      '@portico/core/inversify',
      '@portico/core/system',
      '@portico/adapters-http',
      '@portico/adapters-http/inversify',
      '@portico/adapters-koa',
      '@portico/adapters-koa/inversify',
      '@portico/adapters-koa/settings',
      '@portico/adapters-redis',
      '@portico/adapters-redis/inversify',
      '@portico/adapters-session',
      '@portico/adapters-session/defaults',
      '@portico/client',
      '@opentelemetry/api',
      '@opentelemetry/context-async-hooks',
      '@opentelemetry/core',
      'commander',
      'neverthrow',
      'pino',
      'prom-client',
      'string-width',
      'wrap-ansi',
      'yaml',
      'zod',
      'node:*',
    ],
    files: {
      // The composition root.
      'compose.ts': ['inversify', 'reflect-metadata'],
      // `portico contract` runs the contract suites.
      'members.ts': ['@portico/core/testing'],
      'own-suite.ts': ['@portico/core/testing'],
      'run-suite.ts': ['@portico/core/testing'],
      'subject.ts': ['@portico/core/testing'],
      'suites.ts': ['@portico/core/testing'],
    },
    tests: [...testTools, 'get-port', 'inversify'],
  },
  {
    // Is downloaded for one run: no dependencies.
    folder: 'packages/create-portico',
    imports: ['node:*'],
    tests: ['vitest', 'node:*'],
  },
  {
    // Runs in a browser: no Node, no server package.
    folder: 'examples/web',
    imports: [
      '@portico/core',
      '@portico/client',
      '@tanstack/react-query',
      'neverthrow',
      'oidc-client-ts',
      'react',
      'react-dom',
      'react-oidc-context',
      'react-router',
    ],
    tests: 'anything',
  },
  { folder: 'examples/*', imports: 'anything' },
  { folder: 'e2e', imports: 'anything' },
  { folder: 'bench', imports: 'anything' },
  { folder: 'tools', imports: 'anything' },
];
