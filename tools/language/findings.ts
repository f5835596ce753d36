import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { markdownText } from './markdown-text.ts';
import { type Passage, sentenceBreak } from './passage.ts';
import { typeScriptText } from './typescript-text.ts';
import { words } from './words.ts';

/** A word or sentence to rewrite. */
interface Finding {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

const maxWords = 40;

/** Includes `.changeset`, which `**` does not match. */
const patterns = ['*.{md,ts}', '.changeset/*.md', '{docs,packages,examples,e2e,bench,tools}/**/*.{md,ts,tsx}'];
/** Generated pages, and this check: its table and its tests consist of the words. */
const excludedFiles = /^docs\/reference\/|(?:^|\/)CHANGELOG\.md$|^tools\/language[./]|\.d\.ts$/;

const filesIn = (root: string): readonly string[] =>
  globSync(patterns, { cwd: root, exclude: (path) => ['node_modules', 'dist'].includes(basename(path)) })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !excludedFiles.test(path))
    .toSorted();

/** Checks all prose below `root`. */
export const checkLanguage = (root: string): readonly Finding[] =>
  filesIn(root).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
    return issuesIn(file, source).map(({ start, message }) => ({ file, line: lineAt(start), message }));
  });

interface Issue {
  readonly start: number;
  readonly message: string;
}

const issuesIn = (file: string, source: string): readonly Issue[] => {
  const passages = file.endsWith('.md') ? markdownText(source) : typeScriptText(file, source);
  return passages
    .flatMap((passage) => [
      ...wordsIn(passage),
      ...longSentencesIn(passage),
      ...(/^packages\/[^/]+\/src\//.test(file) ? numericDefaultsIn(passage, source) : []),
    ])
    .toSorted((one, other) => one.start - other.start);
};

const compiled = words.map(({ pattern, suggestion }) => ({
  pattern: new RegExp(String.raw`\b(?:${pattern.replaceAll(' ', String.raw`\s+`)})\b`, 'gi'),
  suggestion,
}));
const anyWord = new RegExp(compiled.map(({ pattern }) => pattern.source).join('|'), 'i');

const wordsIn = ({ start, text }: Passage): readonly Issue[] =>
  anyWord.test(text)
    ? compiled.flatMap(({ pattern, suggestion }) =>
        Array.from(text.matchAll(pattern), ({ 0: word, index }) => ({
          start: start + index,
          message: `"${word.replaceAll(/\s+/g, ' ')}": ${suggestion}`,
        })),
      )
    : [];

/** A sentence ends at a sentence break, or at a period that is followed by a capital letter, a digit or code. */
const sentences = new RegExp(
  String.raw`[^${sentenceBreak}]+?(?:[.!?]["')\]*_]*(?=\s+["'(\[*_]*[\p{Lu}\d])|(?=${sentenceBreak})|$)`,
  'gu',
);

const longSentencesIn = ({ start, text }: Passage): readonly Issue[] => {
  // Shorter texts cannot have that many words.
  if (text.length <= 2 * maxWords) return [];
  return Array.from(text.matchAll(sentences)).flatMap(({ 0: sentence, index }) => {
    const count = sentence.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
    if (count <= maxWords) return [];
    const from = start + index + sentence.search(/\S/);
    const message = `sentence of ${count} words: split it, at most ${maxWords} are allowed`;
    return [{ start: from, message }];
  });
};

/** In the source: a number in a code span counts too. */
const numericDefault = /\bdefaults?(?: is|:)?[\s*]+`?\d/gi;

/** A number in a doc comment, and in the API page that is generated from it, stays when the default changes. */
const numericDefaultsIn = ({ start, text, isDocComment = false }: Passage, source: string): readonly Issue[] =>
  isDocComment
    ? Array.from(source.slice(start, start + text.length).matchAll(numericDefault), ({ index }) => ({
        start: start + index,
        message: 'numeric default in a doc comment: name the exported defaults, as in "Defaults: `httpDefaults`."',
      }))
    : [];
