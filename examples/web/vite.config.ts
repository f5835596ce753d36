import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The URL that `npm start` serves, on its port; only the development server needs it. */
const portico = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`;

const outDir = 'dist/pages';

/** Compresses assets once at build time instead of at each request. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  closeBundle: () => {
    const assets = join(import.meta.dirname, outDir, 'assets');
    for (const name of readdirSync(assets)) {
      const bytes = readFileSync(join(assets, name));
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

/** Later layers win. */
const layers = '@layer reset, tokens, base, components, areas, print;';

/** States the order of the layers in each file: the styles of lazy pages arrive in any order. */
const layered: Plugin = {
  name: 'layered',
  enforce: 'pre',
  transform: (code, id) => (id.endsWith('.css') ? `${layers}\n${code}` : undefined),
};

export default defineConfig({
  plugins: [react(), layered, compressed],
  // Nothing inline: the pages use a strict Content-Security-Policy.
  build: { outDir, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: {
    host: '127.0.0.1',
    proxy: { '/me': portico, '/api': portico, '/config.json': portico },
  },
});
