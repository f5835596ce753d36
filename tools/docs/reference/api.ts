import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { project } from '../project.ts';
import { type Declaration, exportsOf } from './declarations.ts';
import { code, generated } from './tables.ts';

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, { readonly default?: string }>>;
}

/**
 * The pages of the public API, by path: every exported name of every entry point, from the declarations that the compiler
 * emitted. They are compared in CI, so that a change of the public API is visible in the change itself.
 */
export const apiPages = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    globSync('packages/*/package.json', { cwd: project })
      .toSorted()
      .flatMap((path) => {
        const manifest = JSON.parse(readFileSync(join(project, path), 'utf8')) as Manifest;
        const folder = dirname(path);
        const entries = manifest.private ? [] : entryPoints(manifest, join(project, folder));
        return entries.length === 0 ? [] : [[pageOf(folder), page(manifest, folder, entries)] as const];
      }),
  );

const pageOf = (folder: string): string => `docs/reference/api/${folder.replace('packages/', '')}.md`;

interface EntryPoint {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/** For the tests and tools of this project; not public (docs/stability.md). */
const internals = './internals';

const entryPoints = ({ name, exports = {} }: Manifest, folder: string): readonly EntryPoint[] =>
  Object.entries(exports)
    .flatMap(([entry, { default: file }]) =>
      file?.endsWith('.js') && entry !== internals
        ? [{ name: join(name, entry), declarations: exportsOf(join(folder, file.replace(/\.js$/, '.d.ts'))) }]
        : [],
    )
    .filter(({ declarations }) => declarations.length > 0);

const page = ({ name, description }: Manifest, folder: string, entries: readonly EntryPoint[]): string =>
  generated(
    `API of ${code(name)}`,
    `${description}. Examples are in the [README](../../../${folder}/README.md) of the package.`,
    ...entries.flatMap(({ name, declarations }) => [`## ${code(name)}`, ...declarations.toSorted(byName).map(section)]),
  );

const byName = (one: Declaration, other: Declaration): number => one.name.localeCompare(other.name, 'en');

const section = ({ name, comment, text }: Declaration): string =>
  [`### ${code(name)}`, ...(comment === '' ? [] : [comment]), `\`\`\`typescript\n${halfIndented(text)}\n\`\`\``].join(
    '\n\n',
  );

/** The compiler indents by four blanks. */
const halfIndented = (text: string): string =>
  text.replaceAll(/^ +/gm, (blanks) => ' '.repeat(Math.floor(blanks.length / 2)));
