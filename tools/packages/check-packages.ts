import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
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

/** Resolutions of CommonJS: the packages contain ES modules only. */
const unsupported: ReadonlySet<string> = new Set(['node10', 'node16-cjs']);

/** The problems that publint (for bundlers) and attw (for TypeScript) find in a packed package. */
const problemsIn = async (name: string, tarball: string): Promise<readonly string[]> => {
  const bytes = Uint8Array.from(readFileSync(tarball));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  const found = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  // A package without entry points is a command only.
  if (!('exports' in (read(`${folderOf(name)}/package.json`) as object))) return found;
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  if (!analysis.types) return [...found, 'has no types'];
  const problems = analysis.problems.filter(
    (problem) => !('resolutionKind' in problem && unsupported.has(problem.resolutionKind)),
  );
  return [...found, ...problems.map((problem) => JSON.stringify(problem))];
};

const folder = mkdtempSync(join(tmpdir(), 'portico-packed-'));
try {
  for (const [name, tarball] of pack(folder))
    for (const problem of await problemsIn(name, tarball)) {
      console.error(`${name}: ${problem}`);
      process.exitCode = 1;
    }
  if (!process.exitCode) console.log(`${published.length} packages pass publint and attw.`);
} finally {
  rmSync(folder, { recursive: true });
}
