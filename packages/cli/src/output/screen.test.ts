import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { screenOf, stripControlCharacters } from './screen.ts';

const esc = '\u001b';

/** A stream that says of itself what a terminal says; the colours it can show follow the environment. */
const streamWith = (properties: { readonly isTTY?: boolean; readonly columns?: number }) =>
  Object.assign(new PassThrough(), {
    getColorDepth: (env?: object) => WriteStream.prototype.getColorDepth.call(undefined as never, env ?? process.env),
    ...properties,
  }) as unknown as NodeJS.WriteStream;

const environment = (variables: Readonly<Record<string, string | undefined>>) => {
  for (const name of ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS', 'TERM', 'COLORTERM', 'CI'])
    vi.stubEnv(name, variables[name]);
  onTestFinished(() => void vi.unstubAllEnvs());
};

describe('a screen', () => {
  it('is as wide as the terminal', () => {
    expect(screenOf(streamWith({ isTTY: true, columns: 72 })).width).toBe(72);
  });

  it.each([
    ['a pipe or a file', { columns: 72 }],
    ['a terminal that does not say', { isTTY: true }],
    ['a terminal that says 0, as one does that nobody looks at', { isTTY: true, columns: 0 }],
  ])('has no edge on %s', (_, properties) => {
    expect(screenOf(streamWith(properties)).width).toBe(Infinity);
  });

  it('has colours on a terminal', () => {
    environment({ TERM: 'xterm-256color' });

    expect(screenOf(streamWith({ isTTY: true })).style('bold', 'Status')).toBe(`${esc}[1mStatus${esc}[22m`);
  });

  it.each([
    ['in a pipe or a file', {}, { TERM: 'xterm-256color' }],
    ['where NO_COLOR is set', { isTTY: true }, { TERM: 'xterm-256color', NO_COLOR: '1' }],
    ['on a terminal that has none', { isTTY: true }, { TERM: 'dumb' }],
  ])('has no colours %s', (_, properties, variables) => {
    environment(variables);

    expect(screenOf(streamWith(properties)).style('red', 'Status')).toBe('Status');
  });
});

describe('text of others, tamed', () => {
  it.each([
    ['colours', `a${esc}[31mred${esc}[0mb`, 'aredb'],
    ['a cleared screen', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a window title (OSC 0), ended by BEL', `a${esc}]0;owned\u0007b`, 'ab'],
    ['a link (OSC 8), ended by ST', `a${esc}]8;;https://evil.example${esc}\\b`, 'ab'],
    ['the clipboard (OSC 52)', `a${esc}]52;c;aGk=\u0007b`, 'ab'],
    ['8-bit control sequences', 'a\u009b31mb', 'ab'],
    ['a bell, a backspace, a delete', 'a\u0007\b\u007fb', 'ab'],
    ['null', 'a\u0000b', 'ab'],
  ])('is without %s', (_, text, tamed) => {
    expect(stripControlCharacters(text)).toBe(tamed);
  });

  it.each(['\n', '\r\n', '\t', '\u2028', '\u2029', '\n\n\n'])('is one line where there was %j', (blank) => {
    expect(stripControlCharacters(`a${blank}b`)).toBe('a b');
  });

  // Unicode 17, Bidi_Control: all that turn the direction of what comes after.
  it.each(['061c', '200e', '200f', '202a', '202b', '202c', '202d', '202e', '2066', '2067', '2068', '2069'])(
    'is without the direction mark U+%s',
    (code) => {
      expect(stripControlCharacters(`a${String.fromCodePoint(Number.parseInt(code, 16))}b`)).toBe('ab');
    },
  );

  it.each(['Grüße, 字, 한국', '👩‍👩‍👧 and 👍🏽', 'e\u0301', '(a) [b] <c> \\ ; 0m', 'שלום', 'a  b'])('keeps %j', (text) => {
    expect(stripControlCharacters(text)).toBe(text);
  });

  it('has no control character, however the pieces are put together', () => {
    const piece = fc.constantFrom(
      esc,
      '[',
      ']',
      '0;',
      '8;;',
      '31m',
      '\u0007',
      `${esc}\\`,
      '\u009b',
      '\u009d',
      '\u009c',
      'a',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        expect(stripControlCharacters(parts.join(''))).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes time in proportion to its length, whatever it holds', () => {
    // In time that grows with the square of the length this would take hours.
    for (const piece of [`${esc}]`, `${esc}[`, `${esc}]8;;`, '\u009b', '\u202e'])
      expect(stripControlCharacters(piece.repeat(1_000_000))).not.toContain(esc);
  });
});
