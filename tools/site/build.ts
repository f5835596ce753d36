import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { outputOf, project, sections } from './pages.ts';

/** Builds the site in docs/dist: `npm ci --prefix tools/site && node tools/site/build.ts`. */

const site = import.meta.dirname;
const copies = join(site, '.pages');

// The pages are copied: outside of this folder, they would not find the packages of VitePress.
rmSync(copies, { recursive: true, force: true });
for (const { path } of sections.flatMap(({ pages }) => pages))
  cpSync(join(project, path), join(copies, outputOf(path)));
for (const path of globSync('docs/*/**/*.*', { cwd: project, exclude: ['docs/dist/**', '**/*.md'] }))
  cpSync(join(project, path), join(copies, 'public', outputOf(path)));
for (const path of globSync('docs/deploy/*', { cwd: project, withFileTypes: true }))
  if (path.isFile()) cpSync(join(path.parentPath, path.name), join(copies, 'public', 'deploy', path.name));

await build(site);
