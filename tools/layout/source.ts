import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { packageRules, type PackageRule } from './rules.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** The imported file, for a relative import. */
  readonly target: string | undefined;
}

export interface SourceFile {
  readonly path: string;
  readonly isTest: boolean;
  readonly imports: readonly Import[];
}

export interface Package {
  readonly folder: string;
  readonly name: string;
  readonly rule: PackageRule;
  /** Specifiers that others may import, such as `@portico/core/testing`. */
  readonly entryPoints: readonly string[];
  /** The source files of the entry points. */
  readonly entryFiles: readonly string[];
  readonly files: readonly SourceFile[];
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const isTest = (path: string): boolean => /\.test(?:\.support)?\.tsx?$/.test(path);

/** Reads every package that has a rule, with the imports of its files. */
export const readPackages = (root: string): readonly Package[] => {
  const named = new Set(packageRules.map(({ folder }) => folder));
  return packageRules.flatMap((rule) =>
    globSync(`${rule.folder}/package.json`, { cwd: root })
      .map((file) => dirname(file).replaceAll('\\', '/'))
      .filter((folder) => folder === rule.folder || !named.has(folder))
      .map((folder) => readPackage(root, folder, rule)),
  );
};

const readPackage = (root: string, folder: string, rule: PackageRule): Package => {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports?: Exports;
  };
  const targets = Object.values(exports).map((target) =>
    typeof target === 'string' ? target : target['@portico/source'],
  );
  return {
    folder,
    name,
    rule,
    entryPoints: Object.keys(exports).map((subpath) => name + subpath.slice(1)),
    entryFiles: targets.flatMap((target) => (target === undefined ? [] : [posix.join(folder, target)])),
    files: globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: isSkipped })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => !/\.config\.ts$|\.d\.ts$/.test(path))
      .toSorted()
      .map((path) => ({ path, isTest: isTest(path), imports: importsIn(root, path) })),
  };
};

/** `templates` are programs of other projects. */
const isSkipped = (path: string): boolean => ['node_modules', 'dist', 'templates'].includes(basename(path));

const importsIn = (root: string, path: string): readonly Import[] => {
  const text = readFileSync(join(root, path), 'utf8');
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: { readonly specifier: string; readonly start: number }[] = [];
  const add = ({ source }: { readonly source: object | null }): void => {
    const { value, start } = (source ?? {}) as { readonly value?: unknown; readonly start: number };
    if (typeof value === 'string') found.push({ specifier: value, start });
  };
  // ImportExpression and TSImportType are `import('./a.ts')` as an expression and as a type.
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
    TSImportType: add,
  }).visit(program);
  return found.map(({ specifier, start }) => ({
    specifier,
    line: text.slice(0, start).split('\n').length,
    target: specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : undefined,
  }));
};
