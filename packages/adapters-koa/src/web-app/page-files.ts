import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { entityTag } from '../response/entity-tag.ts';

export interface PageFile {
  readonly content: Buffer;
  readonly etag: string;
}

export const index = '/index.html';

const maxMebibytes = 256;

/** Why pages cannot be served from this folder: a phrase that completes "pages.directory …". Undefined when they can. */
export const pagesProblem = (directory: string): string | undefined => {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return noIndex;
  const files = filesIn(directory);
  if (!files.has(index)) return noIndex;
  const bytes = [...files.values()].reduce((sum, path) => sum + statSync(path).size, 0);
  return bytes > maxMebibytes * 1024 * 1024
    ? `must hold at most ${maxMebibytes} MiB, because pages are served from memory`
    : undefined;
};

const noIndex = 'must hold an index.html; build the pages';

/**
 * Every file of the folder by its URL path, read into memory: contents, length and entity tag agree in every response,
 * also when files are changed later. Throws `TypeError` when there is a `pagesProblem`.
 */
export const readPageFiles = (directory: string): ReadonlyMap<string, PageFile> => {
  const problem = pagesProblem(directory);
  if (problem !== undefined) throw new TypeError(`The folder of the pages ${problem}.`);
  return new Map(
    [...filesIn(directory)].map(([url, path]) => {
      const content = readFileSync(path);
      return [url, { content, etag: entityTag(content) }];
    }),
  );
};

/**
 * The path of every file by its URL path. Hidden files are left out, and links to anything but a file inside the folder:
 * no URL leads out of it.
 */
const filesIn = (directory: string): ReadonlyMap<string, string> => {
  const root = realpathSync(directory);
  const isInside = (path: string) => {
    const real = realpathSync(path);
    return real.startsWith(root + sep) && statSync(real).isFile();
  };
  const filesOf = (folder: string, url: string): readonly (readonly [url: string, path: string])[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.')) return [];
      if (entry.isDirectory()) return filesOf(path, `${url}${entry.name}/`);
      const isFile = entry.isFile() || (entry.isSymbolicLink() && existsSync(path) && isInside(path));
      return isFile ? [[url + entry.name, path]] : [];
    });
  return new Map(filesOf(root, '/'));
};
