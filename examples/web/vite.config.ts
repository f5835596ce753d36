import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { limitFirstPage } from './first-page.config.ts';

/** The URL that `npm start` serves, on its port; only the development server needs it. */
const portico = `http://127.0.0.1:${process.env['PORT'] ?? 8080}`;

const outDir = 'dist/pages';

/** Compresses assets once at build time instead of at each request. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  writeBundle: () => {
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

/** What every page needs and a release of the pages rarely changes: one file that browsers keep, and that compresses better. */
const framework = {
  name: 'framework',
  test: /node_modules[\\/](?:react|react-dom|react-router|scheduler|@tanstack|neverthrow)[\\/](?!.*(?:useMutation|mutationObserver)\.)/,
};

/** The English texts: most members need them before the first render. Those of another language are loaded by the script. */
const preloadedTexts: Plugin = {
  name: 'preloaded-texts',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.values(bundle)
        .filter((output) => output.type === 'chunk' && /texts[\\/]en\.ts$/.test(output.facadeModuleId ?? ''))
        .map(({ fileName }) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
          injectTo: 'head',
        })),
  },
};

const everyPage =
  /src[\\/](?:api|app|brand|errors|config|design[\\/][^\\/]+$|frame|session|texts[\\/](?:texts|format|language))|packages[\\/]client|eventsource-parser/;
const sharedWithDashboard =
  /src[\\/](?:claims[\\/]claim\.|dashboard[\\/]balance\.|documents[\\/](?:documents|document-list|open-pdfs)\.)/;
const notOnFirstPage = /-texts\.|not-found-page|sign-out-page|session[\\/]bearer|expiry-|design[\\/]dialog/;

/** What the first page needs of the portal, with the client: one file in place of two dozen. Each language is a file of its own. */
const portal = {
  name: 'portal',
  test: (id: string): boolean => (everyPage.test(id) || sharedWithDashboard.test(id)) && !notOnFirstPage.test(id),
};

/** What several pages share, but not the first: forms with what saves them; tables, filters and the like. */
const forms = {
  name: 'forms',
  test: /src[\\/](?:form|design[\\/]forms)[\\/](?!form-texts)|(?:useMutation|mutationObserver)\./,
};
/** Also used by the dialog before a session ends. */
const dialog = { name: 'dialog', test: /src[\\/]design[\\/]dialog/ };
const data = { name: 'data', test: /src[\\/]design[\\/]data[\\/](?!control-texts)/ };

export default defineConfig({
  plugins: [react(), layered, preloadedTexts, limitFirstPage(120_000), compressed],
  // Nothing inline: the pages use a strict Content-Security-Policy.
  build: {
    outDir,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [framework, portal, dialog, forms, data] } } },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/me': portico, '/api': portico, '/session': portico, '/config.json': portico },
  },
});
