import type { Screen } from './screen.ts';

/** A screen of the given width, without colours. */
export const plainScreen = (width = Infinity): Screen => ({ isTerminal: false, width, style: (_, text) => text });

/** A terminal of the given width that shows styles as `<green>paid</green>`. */
export const markedScreen = (width = Infinity): Screen => ({
  isTerminal: true,
  width,
  style: (format, text) => `<${format}>${text}</${format}>`,
});

/** Text fragments and their known width on a terminal, so that tests do not need to measure text. */
export const pieces = {
  a: 1,
  é: 1,
  // With a combining mark, without a composed form.
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

/** Splits text into graphemes; composed (NFC), because wrapping composes. */
export const charactersOf = (text: string): readonly string[] =>
  [...segmenter.segment(text.normalize())].map(({ segment }) => segment);

/** Returns the width of text that consists of the fragments and ASCII. */
export const columnsOf = (text: string): number =>
  charactersOf(text).reduce(
    (sum, one) => sum + (Object.hasOwn(pieces, one) ? pieces[one as keyof typeof pieces] : 1),
    0,
  );

export const linesOf = (shown: string): readonly string[] => shown.replace(/\n$/, '').split('\n');
