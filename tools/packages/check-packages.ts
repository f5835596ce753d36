import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { folderOf, published } from './published.ts';

interface PackageFile {
  readonly name: string;
  readonly private?: boolean;
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Every public package must be in both lists: the order of publication, and the packages that share one version. */
const publishable = readdirSync('packages')
  .map((folder) => read(`packages/${folder}/package.json`) as PackageFile)
  .flatMap(({ name, private: isPrivate }) => (isPrivate ? [] : [name]));
const { fixed } = read('.changeset/config.json') as { readonly fixed: readonly (readonly string[])[] };
for (const [place, names] of Object.entries({
  'tools/packages/published.ts': published,
  '.changeset/config.json': fixed.flat(),
}))
  if (names.toSorted().join() !== publishable.toSorted().join()) {
    console.error(`${place} lists ${names.join(', ')}; the public packages are ${publishable.join(', ')}.`);
    process.exit(1);
  }

/** Checks the packed packages with publint (for bundlers) and attw (for TypeScript). They contain ES modules only. */
const check = (command: string, ...rest: readonly string[]): boolean => {
  try {
    execFileSync(command, rest, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return true;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    console.error(`${command} ${rest.join(' ')}\n${stdout}${stderr}`);
    return false;
  }
};

const folders = published.map(folderOf);
const results = folders.flatMap((folder) => [
  check('publint', 'run', folder, '--strict'),
  // A package without entry points is a command only.
  ...('exports' in (read(`${folder}/package.json`) as object)
    ? [check('attw', '--pack', folder, '--profile', 'esm-only', '--no-emoji')]
    : []),
]);
if (!results.every(Boolean)) process.exit(1);
console.log(`${folders.length} packages pass publint and attw.`);
