import type { Kind } from './kinds.ts';

interface Packages {
  readonly scripts: Readonly<Record<string, string>>;
  /** Packages of Portico at run time, without the scope. */
  readonly portico: readonly string[];
  /** Packages of Portico in tests only, and other packages with their versions. */
  readonly porticoInTests?: readonly string[];
  readonly others?: Readonly<Record<string, string>>;
}

const container = { inversify: '^8.2.3', 'reflect-metadata': '^0.2.2' };
const served: Packages = {
  scripts: { start: 'portico serve --config portico.json', doctor: 'portico doctor --config portico.json' },
  portico: ['cli'],
  porticoInTests: ['core'],
  others: container,
};

const packagesOf: Readonly<Record<Kind, Packages>> = {
  serve: served,
  network: served,
  embed: { scripts: { start: 'node main.ts' }, portico: ['adapters-http', 'adapters-koa', 'core'] },
  pages: { scripts: { start: 'node main.ts' }, portico: ['adapters-http', 'adapters-koa', 'adapters-session', 'core'] },
};

/** The `package.json` of a new project, with the packages of this version. */
export const packageFile = (name: string, kind: Kind, version: string): string => {
  const { scripts, portico, porticoInTests = [], others = {} } = packagesOf[kind];
  const ours = (packages: readonly string[]) =>
    Object.fromEntries(packages.map((each) => [`@portico/${each}`, `^${version}`]));
  const content = {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: { ...scripts, test: 'node --test', check: 'tsc' },
    dependencies: ours(portico),
    devDependencies: { ...ours(porticoInTests), '@types/node': '^24.0.0', ...others, typescript: '^7.0.0' },
    engines: { node: '>=22.20' },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
};
