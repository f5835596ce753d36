import { brotliCompressSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** What matters of a chunk that the bundler has written. */
export type Chunk = Pick<Rolldown.OutputChunk, 'fileName' | 'isEntry' | 'facadeModuleId' | 'imports' | 'code'>;

/** What the entry loads for the dashboard, when the session is in a cookie. */
const lazyParts = ['src/dashboard/dashboard.tsx', 'src/texts/en.ts'];

/** The size of all scripts that a member waits for at first, each compressed with brotli, in bytes. */
export const firstPageBytes = (chunks: readonly Chunk[]): number => {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const roots = chunks.filter(
    ({ isEntry, facadeModuleId }) =>
      isEntry || lazyParts.some((part) => facadeModuleId?.replaceAll('\\', '/').endsWith(part)),
  );
  if (roots.length !== lazyParts.length + 1) throw new Error('The scripts of the first page were not found.');
  const needed = new Set<Chunk>();
  const add = (chunk: Chunk | undefined): void => {
    if (!chunk || needed.has(chunk)) return;
    needed.add(chunk);
    for (const file of chunk.imports) add(byFile.get(file));
  };
  roots.forEach(add);
  return [...needed].reduce((sum, { code }) => sum + brotliCompressSync(code).byteLength, 0);
};

/** Fails the build when the scripts of the first page exceed this size. */
export const limitFirstPage = (maxBytes: number): Plugin => ({
  name: 'limit-first-page',
  apply: 'build',
  generateBundle: {
    // After Vite has added to the scripts what each lazy page needs.
    order: 'post',
    handler: (_options, bundle) => {
      const bytes = firstPageBytes(Object.values(bundle).filter((output) => output.type === 'chunk'));
      if (bytes > maxBytes)
        throw new Error(`The scripts of the first page have ${bytes} bytes (brotli), at most ${maxBytes} are allowed.`);
    },
  },
});
