import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkLanguage } from './language/findings.ts';

const check = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'portico-language-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkLanguage(root);
};

/** Returns `line message` for each finding in one file. */
const findingsIn = (file: string, text: string): readonly string[] =>
  check({ [file]: text }).map(({ line, message }) => `${line} ${message}`);

const fix = '"mend": fix';

it.each([
  ['a line comment', '\n// how to mend it'],
  ['a block comment', '/**\n * how to mend it\n */'],
  ['a string', "\nconst hint = 'mend the request';"],
  ['a template', 'const hint = `${1}\nmend ${2}`;'],
  ['a string in a template', "\nconst hint = `${'mend'}`;"],
])('the language check finds a word in %s of TypeScript', (_, source) => {
  expect(findingsIn('packages/core/src/a.ts', source)).toEqual([`2 ${fix}`]);
});

it('the language check finds a word in JSX text and attributes', () => {
  const source = '<p title="mend">\n  Please mend it.\n</p>;';
  expect(findingsIn('examples/web/src/a.tsx', source)).toEqual([`1 ${fix}`, `2 ${fix}`]);
});

it('the language check finds a word in the prose of Markdown', () => {
  expect(findingsIn('README.md', '# Title\n\nHow to mend it.\n')).toEqual([`3 ${fix}`]);
});

it.each([
  ['README.md', 'Call `mend()` or see [the page](docs/mend.md).\n\n```ts\nmend();\n```\n\n<a id="mend"></a>\n'],
  ['a.ts', 'const mend = /mend/; // calls `mend()`\n'],
  ['docs/reference/cli.md', 'mend\n'],
  ['packages/core/CHANGELOG.md', 'mend\n'],
  ['packages/core/dist/a.ts', '// mend\n'],
])('the language check ignores code, generated pages and change logs: %s', (file, text) => {
  expect(findingsIn(file, text)).toEqual([]);
});

it('the language check finds a word after a single backtick of an earlier paragraph', () => {
  expect(findingsIn('README.md', 'The ` key.\n\nHow to mend it with `fix`.\n')).toEqual([`3 ${fix}`]);
});

it('the language check finds a phrase that a line break splits, and reports the line where it begins', () => {
  expect(findingsIn('a.ts', '/**\n * what leaves the\n * house\n */')).toEqual([
    '2 "the house": the system, the network',
  ]);
});

it.each(['The member half is off.', 'Either half may be off.', 'It serves both halves.'])(
  'the language check finds "half" as a name of an API: %s',
  (sentence) => {
    expect(findingsIn('README.md', sentence)).toHaveLength(1);
  },
);

it.each(['Half of the calls fail.', 'The first half of the list.', 'its second half', 'half-open'])(
  'the language check ignores "half" as a number: %s',
  (sentence) => {
    expect(findingsIn('README.md', sentence)).toEqual([]);
  },
);

const numericDefault =
  'numeric default in a doc comment: name the exported defaults, as in "Defaults: `httpDefaults`."';

it.each([
  '/** A timeout. Default 5000. */',
  '/** A timeout. Default: `5000`. */',
  '/** A timeout (default 5000). */',
  '/** A timeout. The default is 5000. */',
  '/** A timeout. Defaults:\n * 5000. */',
])('the language check finds a number as default in a doc comment of a package: %j', (comment) => {
  expect(findingsIn('packages/core/src/a.ts', comment)).toEqual([`1 ${numericDefault}`]);
});

it.each([
  ['packages/core/src/a.ts', '/** Defaults: `httpDefaults`. */'],
  ['packages/core/src/a.ts', '/** Default: any 2xx. Default `GET`. */'],
  ['packages/core/src/a.ts', '// Default 5000.'],
  ['packages/core/src/a.ts', "const help = 'a timeout (default 5000)';"],
  ['tools/a.ts', '/** Default 5000. */'],
])('the language check ignores other defaults and other texts: %s %j', (file, source) => {
  expect(findingsIn(file, source)).toEqual([]);
});

const wordsOf = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
const long = (count: number): string => `sentence of ${count} words: split it, at most 40 are allowed`;

it('the language check reports a sentence of 41 words, not one of 40', () => {
  expect(findingsIn('README.md', `${wordsOf(40)}.\n\n${wordsOf(41)}.\n`)).toEqual([`3 ${long(41)}`]);
});

it.each([
  ['consecutive line comments', `// ${wordsOf(30)}\n// ${wordsOf(30)}`],
  ['a block comment', `/*\n * ${wordsOf(30)}\n * ${wordsOf(30)}\n */`],
  ['concatenated strings', `export const a = '${wordsOf(30)} ' +\n  '${wordsOf(30)}';`],
])('the language check counts the words of a sentence in %s', (_, source) => {
  expect(findingsIn('a.ts', source)).toMatchObject([expect.stringMatching(/^[12] sentence of 60 words/)]);
});

it.each([
  ['README.md', `${wordsOf(30)}. ${wordsOf(30).replace('w', 'W')}.`],
  ['README.md', `- ${wordsOf(30)}\n- ${wordsOf(30)}\n`],
  ['README.md', `| ${wordsOf(30)} | ${wordsOf(30)} |\n`],
  ['a.ts', `/**\n * ${wordsOf(30)}\n * @param a ${wordsOf(30)}\n */`],
  ['a.ts', `/**\n * ${wordsOf(30)}\n *\n * ${wordsOf(30)}\n */`],
  ['a.ts', `export const a = ['${wordsOf(30)}', '${wordsOf(30)}'];`],
  ['a.ts', `export const a = \`${wordsOf(30)}\n${wordsOf(30)}\`;`],
])('the language check counts sentences, list items, cells and paragraphs separately: %s %j', (file, text) => {
  expect(findingsIn(file, text)).toEqual([]);
});
