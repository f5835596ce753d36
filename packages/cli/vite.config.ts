import { defineConfig, type Plugin } from 'vite';

/** `import` of `node:http` reads all of its exports, and some of them load Node's own `fetch`, which Portico does not use. */
const requireHttp: Plugin = {
  name: 'require-http',
  renderChunk(code) {
    const required = code.replace(
      /^import (\{[^}]*\}|\w+) from "(?:node:)?http";$/gm,
      (_, names: string) => `const ${names.replaceAll(' as ', ': ')} = process.getBuiltinModule("node:http");`,
    );
    const left = /^import\b.*["'](?:node:)?http["'].*$/m.exec(required);
    if (left) this.error(`Rewrite this import of node:http too: ${left[0]}`);
    return required;
  },
};

/**
 * Bundles the command with its dependencies: loading a thousand files takes too long (docs/decisions/0155).
 * `bin/portico.js` runs the bundle; the entry points of the package are built by `tsc`.
 */
export default defineConfig({
  plugins: [requireHttp],
  ssr: { noExternal: true, resolve: { conditions: ['@portico/source', 'node', 'module', 'import', 'default'] } },
  build: {
    ssr: 'src/main.ts',
    // As deep as src/telemetry, where version.ts reads `../../package.json`. No folder for chunks: they would be deeper.
    outDir: 'dist/bundle',
    assetsDir: '',
    emptyOutDir: true,
    target: 'node22.20',
    // Stack traces stay readable.
    minify: false,
    license: { fileName: 'licences.md' },
  },
});
