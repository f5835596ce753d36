import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { kindOf } from './blocks.ts';
import { readPage } from './page.ts';
import { checkedPages } from './project.ts';
import { references } from './reference/references.ts';

/** Writes generated pages, and updates blocks that contain project files. Returns the files that changed. */
export const write = async (root: string): Promise<readonly string[]> => {
  const generated = Object.entries(await references(root)).filter(([file, text]) => put(join(root, file), text));
  const rewritten = checkedPages(root).filter((path) => put(join(root, path), withFiles(root, path)));
  return [...generated.map(([file]) => file), ...rewritten];
};

const put = (file: string, text: string): boolean => {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return true;
};

/** Replaces the last block first, so that line numbers of earlier blocks stay valid. */
const withFiles = (root: string, path: string): string => {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  for (const block of readPage(root, path).blocks.toReversed()) {
    const kind = kindOf(block);
    if (kind.kind !== 'file' || !existsSync(join(root, kind.path))) continue;
    const indent = /^\s*/.exec(lines[block.line - 1] ?? '')?.[0] ?? '';
    const text = readFileSync(join(root, kind.path), 'utf8').trimEnd().split('\n');
    const indented = text.map((line) => (line === '' ? '' : indent + line));
    lines.splice(block.line, block.text.split('\n').length - 1, ...indented);
  }
  return lines.join('\n');
};
