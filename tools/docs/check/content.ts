import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsSchema } from '@portico/cli/internals';
import { kindOf } from '../blocks.ts';
import type { Block, Page } from '../page.ts';
import type { Problem } from '../project.ts';
import { helpExamples } from '../reference/commands.ts';

/** Every block is what its marks say: a file as it is, JSON that parses, settings that are right, commands that there are. */
export const checkContent = (root: string, pages: readonly Page[]): readonly Problem[] => {
  const scripts = scriptsOf(root);
  return pages.flatMap(({ path, blocks }) =>
    blocks.flatMap((block, at) => {
      const wrong = [...wrongWith(root, block, scripts), ...wrongOrder(block, blocks[at - 1])];
      return wrong.map((what) => ({ file: path, line: block.line, what }));
    }),
  );
};

const wrongWith = (root: string, block: Block, scripts: ReadonlySet<string>): readonly string[] => {
  const kind = kindOf(block);
  if (kind.kind === 'wrong') return [kind.what];
  if (kind.kind === 'file') return wrongFile(root, kind.path, block.text);
  if (kind.kind === 'shell' && kind.runs === 'ci') return wrongCommands(root, block.text, scripts);
  if (kind.kind === 'shell' && kind.runs === 'help') return wrongExamples(block.text);
  if (block.language !== 'json') return [];
  const json = parsed(block.text);
  if ('why' in json) return [`the JSON does not parse: ${json.why}`];
  return kind.kind === 'settings' ? wrongSettings(json.value) : [];
};

const wrongFile = (root: string, path: string, text: string): readonly string[] => {
  const file = join(root, path);
  if (!existsSync(file)) return [`there is no file ${path}`];
  return readFileSync(file, 'utf8').trimEnd() === text.trimEnd()
    ? []
    : [`the block is not ${path} as it is: npm run docs -- write`];
};

const parsed = (text: string): { readonly value: unknown } | { readonly why: string } => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { why: String(error).replaceAll(/\s+/g, ' ') };
  }
};

const wrongSettings = (value: unknown): readonly string[] =>
  settingsSchema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ?? [];

const scriptsOf = (root: string): ReadonlySet<string> => {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  return new Set(Object.keys(scripts));
};

/** Known commands: `npm ci`, `.ci/run`, scripts of package.json, `npx vitest`, and `node` with a file of the project. */
const wrongCommands = (root: string, text: string, scripts: ReadonlySet<string>): readonly string[] =>
  text
    .split(/\n|&&/)
    .map((part) => part.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((command) => !['', 'npm ci', 'bash .ci/run'].includes(command) && !scripts.has(scriptIn(command)))
    .filter((command) => {
      const file = fileIn(command);
      return file === undefined || !existsSync(join(root, file));
    })
    .map((command) => `no command of the project: ${command}`);

/** `tools/flakes.ts` in `node tools/flakes.ts --idle 3`, `packages/core` in `npx vitest run --root packages/core`. */
const fileIn = (command: string): string | undefined =>
  /^(?:node(?: --conditions=\S+)?|npx vitest(?: run)? --root) ([\w./-]+)/.exec(command)?.[1];

/** Only `npm test` and `npm start` do without `run`. */
const scriptIn = (command: string): string => {
  const [, short, name = short] = /^npm (?:(test|start)|run ([\w:-]+))(?: -[\w ./-]*)?$/.exec(command) ?? [];
  return name ?? '';
};

const wrongExamples = (text: string): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !helpExamples().includes(line))
    .map((line) => `no example of the help: ${line}`);

/** What a shell block says stands right behind it. */
const wrongOrder = (block: Block, before: Block | undefined): readonly string[] => {
  const { kind } = kindOf(block);
  const earlier = before && kindOf(before);
  if (kind === 'said' && !(earlier?.kind === 'shell' && ['run', 'fresh'].includes(earlier.runs)))
    return ['no shell block that is replayed stands before it'];
  return [];
};
