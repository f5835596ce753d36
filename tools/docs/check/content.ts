import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@portico/cli/internals';
import { kindOf } from '../blocks.ts';
import type { Block, Page } from '../page.ts';
import type { Problem } from '../project.ts';
import { helpExamples } from '../reference/commands.ts';

/** Checks that blocks match their marks: project files, JSON, settings and commands. */
export const checkContent = (root: string, pages: readonly Page[]): readonly Problem[] => {
  const scripts = scriptsOf(root);
  return pages.flatMap(({ path, blocks }) =>
    blocks.flatMap((block, at) => {
      const errors = [...errorsIn(root, block, scripts), ...orderErrors(block, blocks[at - 1])];
      return errors.map((message) => ({ file: path, line: block.line, message }));
    }),
  );
};

const errorsIn = (root: string, block: Block, scripts: ReadonlySet<string>): readonly string[] => {
  const kind = kindOf(block);
  if (kind.kind === 'wrong') return [kind.message];
  if (kind.kind === 'file') return fileErrors(root, kind.path, block.text);
  if (kind.kind === 'shell' && kind.runs === 'ci') return commandErrors(root, block.text, scripts);
  if (kind.kind === 'shell' && kind.runs === 'help') return exampleErrors(block.text);
  if (block.language !== 'json') return [];
  const json = parsed(block.text);
  if ('reason' in json) return [`the JSON does not parse: ${json.reason}`];
  return kind.kind === 'settings' ? settingsErrors(json.value) : [];
};

const fileErrors = (root: string, path: string, text: string): readonly string[] => {
  const file = join(root, path);
  if (!existsSync(file)) return [`no such file: ${path}`];
  return readFileSync(file, 'utf8').trimEnd() === text.trimEnd()
    ? []
    : [`the block differs from ${path}: run npm run docs -- write`];
};

const parsed = (text: string): { readonly value: unknown } | { readonly reason: string } => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { reason: String(error).replaceAll(/\s+/g, ' ') };
  }
};

const settingsErrors = (value: unknown): readonly string[] =>
  settingsSchema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

const scriptsOf = (root: string): ReadonlySet<string> => {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  return new Set(Object.keys(scripts));
};

/** Known commands: `npm ci`, `.ci/run`, scripts of package.json, `npx vitest`, and `node` with a file of the project. */
const commandErrors = (root: string, text: string, scripts: ReadonlySet<string>): readonly string[] =>
  text
    .split(/\n|&&/)
    .map((part) => part.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((command) => !['', 'npm ci', 'bash .ci/run'].includes(command) && !scripts.has(scriptIn(command)))
    .filter((command) => {
      const file = fileIn(command);
      return file === undefined || !existsSync(join(root, file));
    })
    .map((command) => `unknown command: ${command}`);

/** `tools/flakes.ts` in `node tools/flakes.ts --idle 3`, `packages/core` in `npx vitest run --root packages/core`. */
const fileIn = (command: string): string | undefined =>
  /^(?:node(?: --conditions=\S+)?|npx vitest(?: run)? --root) ([\w./-]+)/.exec(command)?.[1];

/** Only `npm test` and `npm start` work without `run`. */
const scriptIn = (command: string): string => {
  const [, short, name = short] = /^npm (?:(test|start)|run ([\w:-]+))(?: -[\w ./-]*)?$/.exec(command) ?? [];
  return name ?? '';
};

const exampleErrors = (text: string): readonly string[] => {
  const examples = helpExamples();
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !examples.includes(line))
    .map((line) => `not an example of the help: ${line}`);
};

/** Expected output must follow a shell block that is run. */
const orderErrors = (block: Block, before: Block | undefined): readonly string[] => {
  const { kind } = kindOf(block);
  const earlier = before && kindOf(before);
  if (kind === 'output' && !(earlier?.kind === 'shell' && ['run', 'fresh', 'packed'].includes(earlier.runs)))
    return ['no shell block that is run precedes it'];
  return [];
};
