import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { folderOf, pack, published } from './published.ts';

interface PackageFile {
  readonly name: string;
  readonly private?: boolean;
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/** Every public package must be in both lists: the order of publication, and the packages that share one version. */
const publishable = globSync('packages/*/package.json')
  .map((file) => read(file) as PackageFile)
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
const check = async (command: string, ...rest: readonly string[]): Promise<boolean> => {
  try {
    await promisify(execFile)(command, rest);
    return true;
  } catch (error) {
    const {
      message,
      stdout = '',
      stderr = '',
    } = error as Error & { readonly stdout?: string; readonly stderr?: string };
    console.error(`${message}\n${stdout}${stderr}`);
    return false;
  }
};

const folder = mkdtempSync(join(tmpdir(), 'portico-packed-'));
try {
  const results = await Promise.all(
    [...pack(folder)].flatMap(([name, tarball]) => [
      check('publint', 'run', tarball, '--strict'),
      // A package without entry points is a command only.
      ...('exports' in (read(`${folderOf(name)}/package.json`) as object)
        ? [check('attw', tarball, '--profile', 'esm-only', '--no-emoji')]
        : []),
    ]),
  );
  if (results.every(Boolean)) console.log(`${published.length} packages pass publint and attw.`);
  else process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
