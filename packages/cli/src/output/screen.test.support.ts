import type { Screen } from './screen.ts';

/** A screen of so many columns that shows no colours. */
export const plainScreen = (width = Infinity): Screen => ({ width, style: (_, text) => text });

/** Text in pieces whose columns on a terminal are known by heart, so that tests need no measuring of their own. */
export const pieces = {
  a: 1,
  é: 1,
  // With a combining mark, for which there is no composed character.
  'x\u0302': 1,
  Z: 1,
  '7': 1,
  '-': 1,
  ж: 1,
  字: 2,
  한: 2,
  '😀': 2,
  '👩‍👩‍👧': 2,
  '🇨🇭': 2,
  '👍🏽': 2,
} as const satisfies Readonly<Record<string, 1 | 2>>;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** As people count them; composed (NFC), because wrapping composes. */
export const charactersOf = (text: string): readonly string[] =>
  [...segmenter.segment(text.normalize())].map(({ segment }) => segment);

/** Columns of a text made of the pieces, and of ASCII. */
export const columnsOf = (text: string): number =>
  charactersOf(text).reduce(
    (sum, one) => sum + (Object.hasOwn(pieces, one) ? pieces[one as keyof typeof pieces] : 1),
    0,
  );

export const linesOf = (shown: string): readonly string[] => shown.replace(/\n$/, '').split('\n');
