import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sources = readdirSync(import.meta.dirname, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.ts') && !/\.test\.(?:support\.)?ts$/.test(name));

/** The compiler checks that no Node API is used (tsconfig.source.json). */
it.each(sources)('%s imports only the core, neverthrow, eventsource-parser and files of this package', (name) => {
  const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
  const imported = Array.from(
    text.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g),
    ([, specifier]) => specifier,
  );
  const foreign = imported.filter((specifier) => !/^\.\.?\//.test(specifier ?? ''));
  expect(['@portico/core', 'eventsource-parser/stream', 'neverthrow']).toEqual(expect.arrayContaining(foreign));
});
