import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** An exported name with its declaration, as the compiler emitted it. */
export interface Declaration {
  readonly name: string;
  /** The documentation comment as Markdown; empty without one. */
  readonly comment: string;
  /** The declaration without `export` and `declare`; one for each overload. */
  readonly text: string;
}

type Program = ReturnType<typeof parseSync>['program'];
type Statement = Program['body'][number];

/** Returns what a declaration file exports, in the order of its export statements. Files outside the project are left out. */
export const exportsOf = (file: string): readonly Declaration[] => {
  const declared = declarationsIn(file);
  const found = new Map<string, Declaration>();
  const add = (name: string, declaration: Declaration | undefined) => {
    if (declaration) found.set(name, { ...declaration, name });
  };
  for (const statement of parsed(file).program.body) {
    if (statement.type === 'ExportAllDeclaration') {
      const source = fileOf(file, statement.source.value);
      if (source !== undefined) for (const declaration of exportsOf(source)) add(declaration.name, declaration);
    } else if (statement.type === 'ExportNamedDeclaration') {
      const source = statement.source === null ? undefined : fileOf(file, statement.source.value);
      const exported = source === undefined ? declared : exportsByName(source);
      for (const { local, exported: as } of statement.specifiers) add(nameOf(as), exported.get(nameOf(local)));
      for (const name of statement.declaration ? namesOf(statement.declaration) : []) add(name, declared.get(name));
    }
  }
  return [...found.values()];
};

const exportsByName = (file: string): ReadonlyMap<string, Declaration> =>
  new Map(exportsOf(file).map((each) => [each.name, each]));

/** The declarations at the top of a file by name, exported or not; an import is followed. */
const declarationsIn = (file: string): ReadonlyMap<string, Declaration> => {
  const { source, program, comments } = parsed(file);
  const found = new Map<string, Declaration>();
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      const from = fileOf(file, statement.source.value);
      if (from === undefined) continue;
      const exported = exportsByName(from);
      for (const specifier of statement.specifiers) {
        const imported = specifier.type === 'ImportSpecifier' ? exported.get(nameOf(specifier.imported)) : undefined;
        if (imported) found.set(specifier.local.name, imported);
      }
      continue;
    }
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (!declaration) continue;
    const before = comments.findLast(({ end }) => end <= statement.start);
    const isDirect = before && /^\s*$/.test(source.slice(before.end, statement.start));
    const comment = isDirect && before.value.startsWith('*') ? markdownOf(before.value) : '';
    const text = source.slice(declaration.start, statement.end).replace(/^declare /, '');
    for (const name of namesOf(declaration)) {
      const earlier = found.get(name);
      found.set(name, {
        name,
        comment: [earlier?.comment, comment].filter(Boolean).join('\n\n'),
        text: [earlier?.text, text].filter(Boolean).join('\n'),
      });
    }
  }
  return found;
};

const files = new Map<
  string,
  Pick<ReturnType<typeof parseSync>, 'program' | 'comments'> & { readonly source: string }
>();

const parsed = (file: string) => {
  const known = files.get(file);
  if (known) return known;
  const source = readFileSync(file, 'utf8');
  const { program, comments } = parseSync(file, source);
  const result = { source, program, comments };
  files.set(file, result);
  return result;
};

/** The declaration file that a relative import of a `.ts` or `.js` file leads to. */
const fileOf = (from: string, specifier: string): string | undefined => {
  if (!specifier.startsWith('.')) return undefined;
  const file = join(dirname(from), specifier.replace(/\.[jt]s$/, '.d.ts'));
  return existsSync(file) ? file : undefined;
};

const nameOf = (name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string =>
  name.name ?? String(name.value);

const namesOf = (declaration: Statement): readonly string[] => {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  const { id } = declaration as { readonly id?: { readonly name?: string } | null };
  return id?.name === undefined ? [] : [id.name];
};

/** The text of a comment without its frame. */
const markdownOf = (comment: string): string =>
  comment
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
