import { basename, dirname } from 'node:path';
import { findCycles } from './cycles.ts';
import { maxSourcesPerFolder } from './rules.ts';
import { type Import, type Package, readPackages, type SourceFile } from './source.ts';

export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** All violations of the layout rules in the project. */
export const checkLayout = (root: string): readonly Problem[] => {
  const packages = readPackages(root);
  return [
    ...packages.flatMap(largeFolders),
    ...packages.flatMap(sameNames),
    ...findCycles(packages.flatMap(({ files }) => files)).map(cycleProblem),
    ...packages.flatMap(folderCycles),
    ...packages.flatMap((own) => own.files.flatMap((file) => importProblems(own, file, packages))),
  ];
};

const largeFolders = ({ files }: Package): readonly Problem[] => {
  const sources = Map.groupBy(
    files.filter(({ isTest }) => !isTest).map(({ path }) => path),
    dirname,
  );
  return [...sources].flatMap(([folder, paths]) => {
    if (paths.length <= maxSourcesPerFolder) return [];
    const message = `the folder has ${paths.length} source files beside tests, at most ${maxSourcesPerFolder} are allowed`;
    return [{ file: folder, line: 1, message }];
  });
};

/** Entry points and `index.ts` are exempt: their names are part of how a package is imported. */
const sameNames = ({ files, entryFiles }: Package): readonly Problem[] => {
  const sources = files
    .filter(({ path, isTest }) => !isTest && basename(path) !== 'index.ts' && !entryFiles.includes(path))
    .map(({ path }) => path);
  return [...Map.groupBy(sources, (path) => basename(path)).values()].flatMap(([first, ...others]) =>
    others.map((file) => ({
      file,
      line: 1,
      message: `has the same name as ${first} of the same package`,
    })),
  );
};

const cycleProblem = (cycle: readonly { readonly path: string; readonly line: number }[]): Problem => {
  const [first] = cycle;
  const paths = cycle.map(({ path }) => path);
  return {
    file: first?.path ?? '',
    line: first?.line ?? 1,
    message: `import cycle: ${[...paths, first?.path].join(' -> ')}`,
  };
};

/** Texts of the pages are beside the pages, which get them from the list of all texts. */
const texts = /-texts\.\w+\.ts$/;

/**
 * Beside each other, the folders of a package have an order: each imports only from those below it. Tests may import from any, and
 * texts may be imported from any.
 */
const folderCycles = ({ folder, files }: Package): readonly Problem[] => {
  const imports = files
    .filter(({ isTest }) => !isTest)
    .flatMap((file) =>
      file.imports.flatMap(({ target, line }) => {
        const folders = target && !texts.test(target) && siblingFolders(file.path, target);
        return folders ? [{ from: folders[0], target: folders[1], file: file.path, line }] : [];
      }),
    );
  const folders = [...Map.groupBy(imports, ({ from }) => from)].map(([path, imports]) => ({ path, imports }));
  return findCycles(folders).map((cycle) => {
    const names = cycle.map(({ path }) => path);
    const steps = names.map((from, nth) => {
      const to = names[(nth + 1) % names.length];
      return imports.filter((each) => each.from === from && each.target === to);
    });
    // Where the fewest imports have to change.
    const [[{ file, line } = { file: '', line: 1 }] = []] = steps.toSorted((one, other) => one.length - other.length);
    const shown = [...names, names[0]!].map((name) => name.slice(folder.length + 1));
    return { file, line, message: `folders import each other: ${shown.join(' -> ')}` };
  });
};

/** The folders beside each other that contain two files. Undefined if one of the files is in the folder of both. */
const siblingFolders = (one: string, other: string): readonly [string, string] | undefined => {
  const [parts, otherParts] = [one.split('/'), other.split('/')];
  const depth = parts.findIndex((part, nth) => part !== otherParts[nth]);
  if (depth === parts.length - 1 || depth === otherParts.length - 1) return undefined;
  return [parts.slice(0, depth + 1).join('/'), otherParts.slice(0, depth + 1).join('/')];
};

const importProblems = (own: Package, file: SourceFile, packages: readonly Package[]): readonly Problem[] =>
  file.imports.flatMap((each) => {
    const message = importError(own, file, each, packages);
    return message === undefined ? [] : [{ file: file.path, line: each.line, message }];
  });

const importError = (
  own: Package,
  file: SourceFile,
  { specifier, target }: Import,
  packages: readonly Package[],
): string | undefined => {
  if (target !== undefined)
    return target.startsWith(`${own.folder}/`)
      ? undefined
      : `'${specifier}' leaves ${own.folder}: import a published entry point instead`;
  const other = packages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (other && !other.entryPoints.some((entry) => matches(specifier, entry)))
    return `'${specifier}' is not an entry point of ${other.name} (${other.entryPoints.join(', ') || 'it has none'})`;
  const allowed = allowedIn(own, file);
  if (allowed === 'anything' || allowed.some((pattern) => isAllowed(specifier, pattern))) return undefined;
  return `${own.folder}${file.isTest ? ' (tests)' : ''} may not import '${specifier}'; see tools/layout/rules.ts`;
};

const allowedIn = ({ rule }: Package, { path, isTest }: SourceFile): readonly string[] | 'anything' => {
  const { imports, files = {}, tests = [] } = rule;
  const more = isTest ? tests : [];
  if (imports === 'anything' || more === 'anything') return 'anything';
  return [...imports, ...(files[basename(path)] ?? []), ...more];
};

/** Entry points of our packages are listed one by one; for other packages, the name includes subpaths. */
const isAllowed = (specifier: string, pattern: string): boolean =>
  matches(specifier, pattern) || (!pattern.startsWith('@portico/') && specifier.startsWith(`${pattern}/`));

/** A trailing star matches any suffix: `node:*`, `@portico/web/pages/*`. */
const matches = (specifier: string, pattern: string): boolean =>
  pattern.endsWith('*') ? specifier.startsWith(pattern.slice(0, -1)) : specifier === pattern;
