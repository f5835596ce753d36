import { defineConfig } from 'vite';

/**
 * Bundles the command with its dependencies: loading a thousand files takes too long (docs/decisions/0155).
 * `bin/portico.js` runs the bundle; the entry points of the package are built by `tsc`.
 */
export default defineConfig({
  ssr: { noExternal: true, resolve: { conditions: ['@portico/source', 'node', 'module', 'import', 'default'] } },
  build: {
    ssr: 'src/main.ts',
    // As deep as src/program, where `../../package.json` is read. No folder for chunks: they would be deeper.
    outDir: 'dist/bundle',
    assetsDir: '',
    emptyOutDir: true,
    target: 'node22.20',
    // Stack traces stay readable.
    minify: false,
    license: { fileName: 'licences.md' },
  },
});
