/**
 * A comment, string or paragraph. `text` has the length of its source, so that an offset in one is an offset in the
 * other; code and markup in it are replaced.
 */
export interface Passage {
  /** Offset in the file. */
  readonly start: number;
  readonly text: string;
}

/** Ends a sentence in `Passage.text` where the source has no punctuation: a new list item, cell or paragraph. */
export const sentenceBreak = '\u2029';

export const blank = (text: string): string => ' '.repeat(text.length);

/** Replaces all of a match with spaces, and its first character with a sentence break. */
export const breakAt = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (match) => sentenceBreak + blank(match.slice(1)));

/** Makes one word of each inline code span and URL: their words are names, not English. */
export const maskCode = (text: string): string =>
  text.replaceAll(/(`+)[^`]+\1|\b[a-z]+:\/\/[^\s)>\]]+/g, (match) => 'X'.repeat(match.length));
