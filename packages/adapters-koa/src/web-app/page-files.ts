import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { entityTag } from '../response/entity-tag.ts';

export interface PageFile {
  readonly content: Buffer;
  readonly etag: string;
}

export const index = '/index.html';

const maxMebibytes = 256;

/** Returns why pages cannot be served from this folder, as a phrase that completes "pages.directory …", or undefined. */
export const pagesProblem = (directory: string): string | undefined => {
  if (!existsSync(directory) || !statSync(directory).isDirectory()) return noIndex;
  const files = filesIn(directory);
  if (!files.has(index)) return noIndex;
  const bytes = [...files.values()].reduce((sum, path) => sum + statSync(path).size, 0);
  return bytes > maxMebibytes * 1024 * 1024
    ? `must not exceed ${maxMebibytes} MiB, because pages are served from memory`
    : undefined;
};

const noIndex = 'must contain an index.html; build the pages first';

/**
 * Reads every file of the folder into memory, by URL path. Content, length and entity tag therefore always match, even if
 * files change later. Throws `TypeError` if there is a `pagesProblem`.
 */
export const readPageFiles = (directory: string): ReadonlyMap<string, PageFile> => {
  const problem = pagesProblem(directory);
  if (problem !== undefined) throw new TypeError(`The pages directory ${problem}.`);
  return new Map(
    [...filesIn(directory)].map(([url, path]) => {
      const content = readFileSync(path);
      return [url, { content, etag: entityTag(content) }];
    }),
  );
};

/**
 * Lists the files of the folder by URL path. Skips hidden files and links to anything but a file inside the folder, so that
 * no URL can reach a file outside it.
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
