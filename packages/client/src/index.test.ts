import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync(import.meta.dirname).filter((name) => !/\.test\.(?:support\.)?ts$/.test(name));

/** That nothing of Node's is used, the compiler sees to (tsconfig.source.json). */
it.each(sources)('%s imports nothing but the core, neverthrow, eventsource-parser and its own package', (name) => {
  const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
  const imported = Array.from(
    text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g),
    ([, specifier]) => specifier,
  );
  const foreign = imported.filter((specifier) => !specifier?.startsWith('./'));
  expect(['@portico/core', 'eventsource-parser/stream', 'neverthrow']).toEqual(expect.arrayContaining(foreign));
});
