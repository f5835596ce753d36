import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The tests of one run: those of a folder of `src` (`.`: of `src` itself) or of the whole package, with nock or without. */
export interface Tests {
  readonly folder?: string | undefined;
  /** Tests with nock change the HTTP modules of their process, so they run apart from the others. */
  readonly nock: boolean;
}

export const testFiles = (pack: string, { folder = '**', nock }: Tests): readonly string[] =>
  globSync(join(pack, 'src', folder, folder === '.' ? '' : '**', '*.test.ts'))
    .toSorted()
    .filter((file) => readFileSync(file, 'utf8').includes("from 'nock'") === nock)
    .map((file) => resolve(file));
