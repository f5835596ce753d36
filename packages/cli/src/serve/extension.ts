import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { err, ok, type Result } from 'neverthrow';
import { type CliError, usageError } from '../output/cli-error.ts';
import type { ServeExtension } from './server.ts';

/** Loads the module of `--with`: its default export is a `ServeExtension`. Without a file, it is empty. */
export const loadExtension = async (file: string | undefined): Promise<Result<ServeExtension, CliError>> => {
  if (file === undefined) return ok({});
  const path = resolve(file);
  if (!existsSync(path)) return err(usageError(`${file}: file not found.`, 'Check --with.'));
  let exported: { readonly default?: unknown };
  try {
    exported = (await import(pathToFileURL(path).href)) as typeof exported;
  } catch (error) {
    return err(extensionFailed(file, error));
  }
  const problem = shapeProblem(exported.default);
  return problem === undefined ? ok(exported.default as ServeExtension) : err(usageError(`${file}: ${problem}`));
};

/** The error of a module that throws, when it is loaded or when its bindings are resolved. */
export const extensionFailed = (file: string, cause: unknown): CliError => ({
  ...usageError(
    `${file} cannot be used: ${reasonOf(cause)}`,
    'Run the command again with --verbose for the message and a stack trace.',
  ),
  cause,
});

/** Only the messages of Node's module loader: others may contain a secret. */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return 'it throws.';
  const { code } = cause as NodeJS.ErrnoException;
  // By name, because the module may have its own copy of the core.
  if (cause.name === 'DeclarationError') return cause.message;
  const isLoaderError = isLoaderSyntaxError(cause) || /^ERR_(?:MODULE|PACKAGE|UNSUPPORTED)_/.test(code ?? '');
  return isLoaderError ? cause.message : `it throws ${code ?? cause.name}.`;
};

/** Whether the loader threw it. `JSON.parse`, `BigInt` and others throw a SyntaxError that quotes their input. */
const isLoaderSyntaxError = (cause: Error): boolean =>
  cause instanceof SyntaxError &&
  /^\s+at .+$/m.exec(cause.stack ?? '')?.[0].includes('(node:internal/modules/') === true;

const expectedShapes = {
  modules: {
    isItem: (item: unknown) =>
      typeof item === 'object' && item !== null && 'load' in item && typeof item.load === 'function',
    expected: 'an array of inversify ContainerModule objects',
  },
  services: {
    isItem: (item: unknown) => typeof item === 'object' && item !== null && 'declaration' in item && 'useCases' in item,
    expected: 'an array of services, made with ownService',
  },
  middleware: {
    isItem: (item: unknown) => typeof item === 'function',
    expected: 'an array of Koa middleware functions',
  },
} as const satisfies Record<keyof ServeExtension, object>;

/** Returns how the default export differs from a `ServeExtension`. */
const shapeProblem = (value: unknown): string | undefined => {
  const names = Object.keys(expectedShapes).join(', ');
  if (value === undefined) return `the module has no default export; export an object with ${names}.`;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `the default export must be an object with ${names}.`;
  for (const [name, items] of Object.entries(value)) {
    if (!Object.hasOwn(expectedShapes, name))
      return `the default export has the unknown property ${name}; expected ${names}.`;
    const { isItem, expected } = expectedShapes[name as keyof typeof expectedShapes];
    if (items !== undefined && !(Array.isArray(items) && items.every(isItem))) return `${name} must be ${expected}.`;
  }
  return undefined;
};
