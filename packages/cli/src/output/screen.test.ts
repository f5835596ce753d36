import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { screenOf, stripControlCharacters } from './screen.ts';

const esc = '\u001b';

/** A stream with the properties of a terminal. Its colours depend on the environment. */
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
  it('a screen has the width of the terminal', () => {
    expect(screenOf(streamWith({ isTTY: true, columns: 72 })).width).toBe(72);
  });

  it.each([
    ['a pipe or a file', { columns: 72 }],
    ['a terminal of unknown width', { isTTY: true }],
    ['a terminal with a width of 0', { isTTY: true, columns: 0 }],
  ])('a screen has infinite width for %s', (_, properties) => {
    expect(screenOf(streamWith(properties)).width).toBe(Infinity);
  });

  it('shows colours on a terminal', () => {
    environment({ TERM: 'xterm-256color' });

    expect(screenOf(streamWith({ isTTY: true })).style('bold', 'Status')).toBe(`${esc}[1mStatus${esc}[22m`);
  });

  it.each([
    ['for a pipe or a file', {}, { TERM: 'xterm-256color' }],
    ['when NO_COLOR is set', { isTTY: true }, { TERM: 'xterm-256color', NO_COLOR: '1' }],
    ['on a terminal without colours', { isTTY: true }, { TERM: 'dumb' }],
  ])('shows no colours %s', (_, properties, variables) => {
    environment(variables);

    expect(screenOf(streamWith(properties)).style('red', 'Status')).toBe('Status');
  });
});

describe('stripControlCharacters', () => {
  it.each([
    ['colours', `a${esc}[31mred${esc}[0mb`, 'aredb'],
    ['a clear-screen sequence', `a${esc}[2J${esc}[Hb`, 'ab'],
    ['a window title (OSC 0) with BEL', `a${esc}]0;owned\u0007b`, 'ab'],
    ['a link (OSC 8) with ST', `a${esc}]8;;https://evil.example${esc}\\b`, 'ab'],
    ['clipboard access (OSC 52)', `a${esc}]52;c;aGk=\u0007b`, 'ab'],
    ['8-bit control sequences', 'a\u009b31mb', 'ab'],
    ['bell, backspace and delete', 'a\u0007\b\u007fb', 'ab'],
    ['null', 'a\u0000b', 'ab'],
  ])('removes %s', (_, text, safe) => {
    expect(stripControlCharacters(text)).toBe(safe);
  });

  it.each(['\n', '\r\n', '\t', '\u2028', '\u2029', '\n\n\n'])('replaces %j by a space', (blank) => {
    expect(stripControlCharacters(`a${blank}b`)).toBe('a b');
  });

  // All characters with the property Bidi_Control (Unicode 17).
  it.each(['061c', '200e', '200f', '202a', '202b', '202c', '202d', '202e', '2066', '2067', '2068', '2069'])(
    'removes the direction mark U+%s',
    (code) => {
      expect(stripControlCharacters(`a${String.fromCodePoint(Number.parseInt(code, 16))}b`)).toBe('ab');
    },
  );

  it.each(['Grüße, 字, 한국', '👩‍👩‍👧 and 👍🏽', 'e\u0301', '(a) [b] <c> \\ ; 0m', 'שלום', 'a  b'])('keeps %j', (text) => {
    expect(stripControlCharacters(text)).toBe(text);
  });

  it('leaves no control character, for any combination of sequences', () => {
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

  it('runs in linear time for any input', () => {
    // In quadratic time, this would take hours.
    for (const piece of [`${esc}]`, `${esc}[`, `${esc}]8;;`, '\u009b', '\u202e'])
      expect(stripControlCharacters(piece.repeat(1_000_000))).not.toContain(esc);
  });
});
