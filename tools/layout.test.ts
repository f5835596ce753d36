import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkLayout } from './layout/check.ts';

const core = JSON.stringify({
  name: '@portico/core',
  exports: { '.': { '@portico/source': './src/index.ts' }, './testing': { '@portico/source': './src/testing.ts' } },
});
const packageFiles = {
  'packages/core/package.json': core,
  'packages/core/src/index.ts': "export * from './claims/claims.ts';\n",
  'packages/core/src/testing.ts': "export * from './claims/claims.fake.ts';\n",
  'packages/core/src/claims/claims.ts': "import { ok } from 'neverthrow';\nexport const one = ok(1);\n",
  'packages/core/src/claims/claims.fake.ts': "import { one } from './claims.ts';\nexport const fake = one;\n",
  'packages/adapters-http/package.json': JSON.stringify({ name: '@portico/adapters-http' }),
  'packages/adapters-koa/package.json': JSON.stringify({ name: '@portico/adapters-koa' }),
  'examples/app/package.json': JSON.stringify({ name: '@portico/example-app' }),
};

/** Checks a project that is valid except for these files. Returns `file:line message` for each problem. */
const problemsWith = (files: Readonly<Record<string, string>>): readonly string[] => {
  const root = mkdtempSync(join(tmpdir(), 'portico-layout-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries({ ...packageFiles, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkLayout(root).map(({ file, line, message }) => `${file}:${line} ${message}`);
};

it('the layout check reports nothing for a project that follows the rules', () => {
  expect(problemsWith({})).toEqual([]);
});

const folderOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`packages/core/src/many/${name}`, 'export {};\n']));
const dozen = Array.from({ length: 12 }, (_, nth) => `file-${nth}.ts`);

it('the layout check reports a folder with thirteen source files', () => {
  expect(problemsWith(folderOf([...dozen, 'file-12.ts']))).toEqual([
    'packages/core/src/many:1 the folder has 13 source files beside tests, at most 12 are allowed',
  ]);
});

it('the layout check does not count tests', () => {
  expect(problemsWith(folderOf([...dozen, 'other.test.ts', 'other.test.support.ts']))).toEqual([]);
});

it('two source files of one package with the same name are reported, but not entry points, index files and tests', () => {
  const files = {
    'packages/core/src/search/claims.ts': 'export {};\n',
    'packages/core/src/search/index.ts': 'export {};\n',
    'packages/core/src/search/claims.test.ts': 'export {};\n',
    'packages/core/src/claims/claims.test.ts': 'export {};\n',
    'packages/core/src/search/testing.ts': 'export {};\n',
  };
  expect(problemsWith(files)).toEqual([
    'packages/core/src/search/claims.ts:1 has the same name as packages/core/src/claims/claims.ts of the same package',
  ]);
});

it('the layout check reports an import cycle, also of type-only imports', () => {
  const files = {
    'packages/core/src/a.ts': "export type A = 1;\nimport type { B } from './b.ts';\nexport type C = B;\n",
    'packages/core/src/b.ts': "export type B = import('./c.ts').D;\n",
    'packages/core/src/c.ts': "export type { A as D } from './a.ts';\n",
  };
  expect(problemsWith(files)).toEqual([
    'packages/core/src/a.ts:2 import cycle: packages/core/src/a.ts -> packages/core/src/b.ts -> packages/core/src/c.ts -> packages/core/src/a.ts',
  ]);
});

it('the layout check reports folders of a package that import each other, but not tests', () => {
  const files = {
    'packages/core/src/upper/a.ts': "import '../lower/b.ts';\nimport '../lower/c.ts';\n",
    'packages/core/src/lower/b.ts': 'export {};\n',
    'packages/core/src/lower/c.ts': "\nimport '../upper/d.ts';\n",
    'packages/core/src/upper/d.ts': 'export {};\n',
    'packages/core/src/lower/b.test.ts': "import '../upper/a.ts';\n",
    'packages/core/src/deep/e/f.ts': "import '../g.ts';\n",
    'packages/core/src/deep/g.ts': 'export {};\n',
  };
  expect(problemsWith(files)).toEqual([
    'packages/core/src/lower/c.ts:2 folders import each other: src/lower -> src/upper -> src/lower',
  ]);
});

it('the layout check reports folders at any depth, and in packages without src', () => {
  const files = {
    'bench/package.json': JSON.stringify({ name: '@portico/bench' }),
    'bench/speed/one/a.ts': "import '../two/b.ts';\n",
    'bench/speed/two/b.ts': "import '../one/c.ts';\n",
    'bench/speed/one/c.ts': 'export {};\n',
  };
  expect(problemsWith(files)).toEqual([
    'bench/speed/one/a.ts:1 folders import each other: speed/one -> speed/two -> speed/one',
  ]);
});

it('the layout check reports folders of the pages that import each other, but not texts beside the pages', () => {
  const files = {
    'examples/web/package.json': '{ "name": "@portico/web" }',
    'examples/web/src/texts/texts.ts': "import '../account/account-texts.en.ts';\n",
    'examples/web/src/account/account-texts.en.ts': 'export {};\n',
    'examples/web/src/account/account-page.tsx': "import '../texts/texts.ts';\nimport '../form/form.ts';\n",
    'examples/web/src/account/consents.ts': 'export {};\n',
    'examples/web/src/form/form.ts': "import '../account/consents.ts';\n",
  };
  expect(problemsWith(files)).toEqual([
    'examples/web/src/account/account-page.tsx:2 folders import each other: src/account -> src/form -> src/account',
  ]);
});

it('the layout check reports a cycle of three folders', () => {
  const files = {
    'packages/core/src/one/a.ts': "import '../two/b.ts';\n",
    'packages/core/src/two/b.ts': "import '../three/c.ts';\n",
    'packages/core/src/two/d.ts': 'export {};\n',
    'packages/core/src/three/c.ts': "import '../one/e.ts';\n",
    'packages/core/src/one/e.ts': 'export {};\n',
  };
  expect(problemsWith(files)).toEqual([
    'packages/core/src/one/a.ts:1 folders import each other: src/one -> src/two -> src/three -> src/one',
  ]);
});

const rules = 'see tools/layout/rules.ts';

it.each([
  ['packages/core/src/a.ts', 'node:fs', `packages/core may not import 'node:fs'; ${rules}`],
  ['packages/core/src/a.ts', 'inversify', `packages/core may not import 'inversify'; ${rules}`],
  ['packages/core/src/a.test.ts', 'node:fs', `packages/core (tests) may not import 'node:fs'; ${rules}`],
  [
    'packages/core/src/a.ts',
    '@portico/adapters-http',
    "'@portico/adapters-http' is not an entry point of @portico/adapters-http (it has none)",
  ],
  ['packages/adapters-http/src/a.ts', 'koa', `packages/adapters-http may not import 'koa'; ${rules}`],
  ['packages/adapters-koa/src/a.ts', 'undici', `packages/adapters-koa may not import 'undici'; ${rules}`],
  [
    'packages/adapters-koa/src/a.ts',
    '@portico/core/testing',
    `packages/adapters-koa may not import '@portico/core/testing'; ${rules}`,
  ],
  [
    'examples/app/src/a.ts',
    '@portico/core/src/claims/claims.ts',
    "'@portico/core/src/claims/claims.ts' is not an entry point of @portico/core (@portico/core, @portico/core/testing)",
  ],
  [
    'examples/app/src/a.ts',
    '../../../packages/core/src/index.ts',
    "'../../../packages/core/src/index.ts' leaves examples/app: import a published entry point instead",
  ],
])('the layout check reports that %s imports %s', (file, specifier, message) => {
  expect(problemsWith({ [file]: `\nimport '${specifier}';\n` })).toEqual([`${file}:2 ${message}`]);
});

it.each([
  'import {} from "koa";',
  'export {} from "koa";',
  'export * from "koa";',
  'import type {} from "koa";',
  'await import("koa");',
  'export type Koa = typeof import("koa");',
])('the layout check finds the import in: %s', (statement) => {
  expect(problemsWith({ 'packages/adapters-http/src/a.ts': statement })).toEqual([
    `packages/adapters-http/src/a.ts:1 packages/adapters-http may not import 'koa'; ${rules}`,
  ]);
});

it('the layout check allows entry points, subpaths of other packages, single files and tests that the rules allow', () => {
  const files = {
    'packages/core/src/inversify.ts': "import 'inversify';\n",
    'packages/core/src/a.test.ts': "import 'fast-check';\n",
    'packages/adapters-http/src/a.ts': "import '@portico/core';\nimport 'jose/errors';\nimport 'node:fs/promises';\n",
    'packages/adapters-http/src/a.test.ts': "import '@portico/core/testing';\nimport 'vitest';\n",
    'examples/app/src/a.ts': "import '@portico/core/testing';\nimport 'anything';\n",
  };
  expect(problemsWith(files)).toEqual([]);
});
