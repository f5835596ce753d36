/**
 * A comment, string or paragraph. `text` has the length of its source, so that an offset in one is an offset in the
 * other; code and markup in it are replaced.
 */
export interface Passage {
  /** Offset in the file. */
  readonly start: number;
  readonly text: string;
  readonly isDocComment?: boolean;
}

/** Ends a sentence in `Passage.text` where the source has no punctuation: a new list item, cell or paragraph. */
export const sentenceBreak = '\u2029';

export const blank = (text: string): string => ' '.repeat(text.length);

/** Replaces all of a match with spaces, and its first character with a sentence break. */
export const breakAt = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (match) => sentenceBreak + blank(match.slice(1)));

/** Code spans end in their paragraph, so that a single backtick does not hide the rest of a file. */
const codeOrUrl = /(`+)(?:(?!\n[ \t]*\n)[^`\u2029])+\1|\b[a-z]+:\/\/[^\s)>\]]+/g;

/** Makes one word of each inline code span and URL: their words are names, not English. */
export const maskCode = (text: string): string => text.replaceAll(codeOrUrl, (match) => 'X'.repeat(match.length));
