import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kind, Project } from './kinds.ts';
import { packageFile } from './package-file.ts';

const templates = fileURLToPath(new URL('../templates/', import.meta.url));

/** The folders with the files of a project, in `templates`. */
const templatesOf: Readonly<Record<Kind, readonly string[]>> = {
  serve: ['common', 'settings', 'serve'],
  embed: ['common', 'program', 'embed'],
  network: ['common', 'settings', 'network'],
  pages: ['common', 'program', 'pages'],
};

/** npm leaves a file that is named `.gitignore` out of a package. */
const hidden: Readonly<Record<string, string>> = { gitignore: '.gitignore', dockerignore: '.dockerignore' };

/** The files of a new project, by path. */
const filesOf = ({ folder, kind, issuer }: Project, version: string): Readonly<Record<string, string>> => {
  const name = packageName(folder);
  const values: Readonly<Record<string, string>> = { name, issuer };
  const files = templatesOf[kind].flatMap((template) =>
    pathsIn(join(templates, template)).map((path) => {
      const content = readFileSync(join(templates, template, path), 'utf8');
      return [
        hidden[path] ?? path,
        content.replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) => values[key] ?? all),
      ] as const;
    }),
  );
  return { ...Object.fromEntries(files), 'package.json': packageFile(name, kind, version) };
};

const pathsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** A name that npm accepts for a package. */
const packageName = (folder: string): string =>
  basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'portal';

/** Returns why no project can be created in this folder. A new repository (`.git`) counts as empty. */
export const folderProblem = (folder: string): string | undefined => {
  try {
    const found = readdirSync(folder).filter((name) => name !== '.git');
    return found.length === 0 ? undefined : `${folder} is not empty. Give a new or an empty folder.`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? undefined : `${folder} cannot be used (${code}).`;
  }
};

/** Writes the files of a new project. Throws instead of overwriting a file. */
export const create = (project: Project, version: string): void => {
  for (const [path, content] of Object.entries(filesOf(project, version))) {
    const file = join(project.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { flag: 'wx' });
  }
};

const steps: Readonly<Record<Kind, string>> = {
  serve: `  npm test          # the settings and the server, with fakes
  npm run doctor    # which of the URLs in portico.json do not work yet
  npm start`,
  embed: `  npm test          # the program, with fakes
  npm start         # set the URLs of your services in main.ts first`,
  network: `  npm test          # one search, with a fake network
  export SIGNING_KEY=$(openssl rand -base64 32)
  npm start         # set the network in portico.json first`,
  pages: `  npm test          # the pages and the routes, with fakes
  export SESSION_KEY=$(openssl rand -base64 32) CLIENT_SECRET=...
  npm start         # set the URLs of your services in main.ts first`,
};

export const nextSteps = ({ folder, kind }: Project): string => {
  const isHere = folder === '.';
  const change = isHere ? '' : `  cd ${shellQuoted(folder)}\n`;
  return `Created ${isHere ? 'the project' : folder}. Next:\n${change}  npm install\n${steps[kind]}\n`;
};

const shellQuoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
