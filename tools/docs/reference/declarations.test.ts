import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { exportsOf } from './declarations.ts';

/** The exports of the first file, by name. */
const exportsIn = (files: Readonly<Record<string, string>>) => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-declarations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const found = exportsOf(join(folder, Object.keys(files)[0]!));
  return Object.fromEntries(found.map(({ name, comment, text }) => [name, [comment, text]]));
};

it('exports are followed through files, also renamed and imported ones', () => {
  expect(
    exportsIn({
      'index.d.ts': `import { late } from './b.ts';
        export { one, type Two as Second } from './a.ts';
        export type * from './c.js';
        export { late };
        export { outside } from 'elsewhere';`,
      'a.d.ts': `/** One. */\nexport declare const one: 1;\nexport interface Two {\n    a: 1;\n}`,
      'b.d.ts': `declare function late(): void;\nexport { late };`,
      'c.d.ts': `/** Three,\n * in two lines. */\nexport type Three = 3;`,
    }),
  ).toEqual({
    one: ['One.', 'const one: 1;'],
    Second: ['', 'interface Two {\n    a: 1;\n}'],
    Three: ['Three,\nin two lines.', 'type Three = 3;'],
    late: ['', 'function late(): void;'],
  });
});

it('the overloads of a function are joined, with their comments', () => {
  expect(
    exportsIn({
      'index.d.ts': `/** Of a text. */\nexport declare function f(a: string): 1;\n/** Of a number. */\nexport declare function f(a: number): 2;`,
    }),
  ).toEqual({ f: ['Of a text.\n\nOf a number.', 'function f(a: string): 1;\nfunction f(a: number): 2;'] });
});

it('only a documentation comment directly above a declaration belongs to it', () => {
  expect(
    exportsIn({
      'index.d.ts': `/** Of the file. */\nimport 'x';\nexport declare const a: 1;\n// Not this.\nexport type B = 2;`,
    }),
  ).toEqual({ a: ['', 'const a: 1;'], B: ['', 'type B = 2;'] });
});
