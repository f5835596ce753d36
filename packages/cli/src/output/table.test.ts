import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersOf, columnsOf, linesOf, markedScreen, pieces, plainScreen } from './screen.test.support.ts';
import { table, wrap } from './table.ts';

const columnsNamed = (...titles: readonly string[]) => titles.map((title) => ({ title }));

const note = /^\((\d+) more/;

const word = fc.string({ unit: fc.constantFrom(...Object.keys(pieces)), minLength: 1, maxLength: 12 });
const cellText = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));

/** Tables of any shape; rows may have fewer cells than there are columns. */
const anyTable = fc.integer({ min: 1, max: 7 }).chain((count) =>
  fc.record({
    columns: fc.array(fc.record({ title: cellText, align: fc.constant('right') }, { requiredKeys: ['title'] }), {
      minLength: count,
      maxLength: count,
    }),
    rows: fc.array(fc.array(cellText, { maxLength: count }), { maxLength: 6 }),
  }),
);

/** All visible characters, sorted. */
const visible = (texts: readonly string[]) =>
  texts
    .flatMap(charactersOf)
    .filter((one) => one !== ' ')
    .toSorted();

const longestWord = (texts: readonly string[]) =>
  Math.max(...texts.flatMap((text) => text.split(' ')).map((word) => columnsOf(word)));

describe('a table of any shape on a screen of 20 to 200 columns', () => {
  it('a table of any shape on a screen of 20 to 200 columns has no line wider than the screen if at least one column fits', () => {
    fc.assert(
      fc.property(anyTable, fc.integer({ min: 20, max: 200 }), ({ columns, rows }, width) => {
        fc.pre(longestWord([columns[0]?.title ?? '', ...rows.map(([first = '']) => first)]) <= width);
        const lines = linesOf(table(columns, rows, plainScreen(width))).filter((line) => !note.test(line));

        expect(Math.max(...lines.map((line) => columnsOf(line)))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('shows all text of the visible columns, and counts the hidden ones', () => {
    fc.assert(
      fc.property(anyTable, fc.integer({ min: 20, max: 200 }), ({ columns, rows }, width) => {
        const lines = linesOf(table(columns, rows, plainScreen(width)));
        // On a narrow screen the note takes several lines.
        const noteStart = lines.findLastIndex((line) => /^\(\d+ more/.test(line));
        const [, hidden = '0'] = noteStart === -1 ? [] : (note.exec(lines.slice(noteStart).join(' ')) ?? []);
        const shown = columns.length - Number(hidden);
        const cells = [columns.map(({ title }) => title), ...rows].flatMap((row) => row.slice(0, shown));

        expect(visible(hidden === '0' ? lines : lines.slice(0, noteStart))).toEqual(visible(cells));
      }),
    );
  });

  it('a table of any shape on a screen of 20 to 200 columns has one line per row, with whole cells below their titles, on a wide screen', () => {
    fc.assert(
      fc.property(anyTable, ({ columns, rows }) => {
        const lines = linesOf(table(columns, rows, plainScreen()));
        const cells = [columns.map(({ title }) => title), ...rows];
        const widths = columns.map((_, index) => Math.max(...cells.map((row) => columnsOf(row[index] ?? ''))));
        const filled = cells.map((row) =>
          columns
            .map(({ align }, index) => {
              const text = row[index] ?? '';
              const blank = ' '.repeat((widths[index] ?? 0) - columnsOf(text));
              return align === 'right' ? blank + text : text + blank;
            })
            .join('  ')
            .trimEnd(),
        );

        expect(lines).toEqual(filled);
      }),
    );
  });
});

describe('a table on a narrow screen', () => {
  const uuid = '123e4567-e89b-12d3-a456-426614174000';
  const prose = 'Something that takes many words to say and can be wrapped anywhere between two of them';

  it('wraps prose between words before it shrinks other columns', () => {
    expect(table(columnsNamed('Id', 'What'), [['CLM-1', prose]], plainScreen(40))).toBe(
      [
        'Id     What',
        'CLM-1  Something that takes many words',
        '       to say and can be wrapped',
        '       anywhere between two of them',
        '',
      ].join('\n'),
    );
  });

  it.each([48, 50, 60, 72, 80])('does not break an identifier while prose can wrap, on %i columns', (width) => {
    const before = linesOf(table(columnsNamed('Id', 'What'), [[uuid, prose]], plainScreen(width)));
    const after = linesOf(table(columnsNamed('What', 'Id'), [[prose, uuid]], plainScreen(width)));

    for (const lines of [before, after]) {
      expect(lines.filter((line) => line.includes(uuid))).toHaveLength(1);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });

  it('does not break a locator of maximum length if the terminal is wide enough', () => {
    const locator = 'L'.repeat(64);
    const lines = linesOf(table(columnsNamed('Locator', 'What'), [[locator, prose]], plainScreen(100)));

    expect(lines.filter((line) => line.includes(locator))).toHaveLength(1);
  });

  it('hides the last columns when nothing can shrink, and names them in a note', () => {
    const columns = columnsNamed('Alpha', 'Beta', 'Gamma', 'Delta');
    const lines = linesOf(table(columns, [['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc', 'd']], plainScreen(45)));

    expect(lines.slice(0, 2)).toEqual([
      'Alpha         Beta          Gamma',
      'aaaaaaaaaaaa  bbbbbbbbbbbb  cccccccccccc',
    ]);
    expect(lines.slice(2).join(' ')).toBe('(1 more column: Delta; use a wider terminal or --json)');
  });

  it('hides wide columns before another column wraps', () => {
    const columns = [{ title: 'A' }, { title: 'B', isWide: true }, { title: 'C' }, { title: 'D', isWide: true }];
    const rows = [['one two', 'b', 'three four', 'd']];

    expect(table(columns, rows, plainScreen(25))).toBe('A        B  C           D\none two  b  three four  d\n');
    expect(table(columns, rows, plainScreen(24))).toBe(
      'A        C\none two  three four\n(2 more columns: B, D;\nuse a wider terminal or\n--json)\n',
    );
  });

  it('does not break an amount', () => {
    const columns = [{ title: 'What' }, { title: 'You pay', align: 'right' as const }];
    const lines = linesOf(table(columns, [[prose, 'USD 1,284.50']], plainScreen(30)));

    expect(lines.filter((line) => line.endsWith('  USD 1,284.50'))).toHaveLength(1);
  });

  it('wraps the note about hidden columns', () => {
    const columns = columnsNamed('Alpha', 'Beta', 'Gamma', 'Delta');
    const lines = linesOf(table(columns, [['one', 'two', 'three', 'four']], plainScreen(20)));

    expect(lines.join(' ')).toMatch(/\(1 more/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
  });
});

describe('wide characters', () => {
  it.each([
    ['Chinese characters', '字字', 4],
    ['Korean characters', '한국', 4],
    ['emoji', '😀', 2],
    ['emoji of several people', '👩‍👩‍👧', 2],
    ['flags', '🇨🇭', 2],
    ['emoji with a skin tone', '👍🏽', 2],
    ['letters with a combining mark', 'x\u0302', 1],
  ])('counts the columns of %s as a terminal does', (_, text, columns) => {
    const [title] = linesOf(table(columnsNamed(text, 'next'), [], plainScreen(80)));

    expect(title).toBe(`${text}  next`);
    expect(linesOf(table(columnsNamed('123456', 'next'), [[text, 'x']], plainScreen(80)))[1]).toBe(
      `${text}${' '.repeat(6 - columns)}  x`,
    );
  });

  it('does not split a wide character', () => {
    expect(wrap('字字字字字', 5)).toEqual(['字字', '字字', '字']);
    expect(wrap('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']);
  });
});

it('a table aligns cells and titles to the right', () => {
  const columns = [{ title: 'Billed', align: 'right' }, { title: 'Status' }, { title: 'N', align: 'right' }] as const;

  expect(
    table(
      columns,
      [
        ['USD 1,084.50', 'paid', '7'],
        ['USD 4.00', 'denied', '12'],
      ],
      plainScreen(80),
    ),
  ).toBe(['      Billed  Status   N', 'USD 1,084.50  paid     7', '    USD 4.00  denied  12', ''].join('\n'));
});

it('a table shows titles in bold and the note in dim', () => {
  const lines = linesOf(table(columnsNamed('Alpha', 'Beta'), [['aaaaaaaaaaaa', 'bbbbbbbbbbbb']], markedScreen(22)));

  expect(lines[0]).toBe('<bold>Alpha</bold>');
  expect(lines[1]).toBe('aaaaaaaaaaaa');
  expect(lines.slice(2).join('')).toMatch(/^<dim>\(1 more/);
});

it.each([
  ['no rows', columnsNamed('Alpha', 'Beta'), [], 'Alpha  Beta\n'],
  ['a row without cells', columnsNamed('Alpha', 'Beta'), [[]], 'Alpha  Beta\n\n'],
])('a table with %s is shown with its titles', (_, columns, rows, shown) => {
  expect(table(columns, rows, plainScreen(80))).toBe(shown);
});

describe('a table of any size', () => {
  // More values than a call can have as arguments: about 125,000.
  const many = 130_000;

  it('formats hundreds of thousands of rows', () => {
    const rows = Array.from({ length: many }, (_, index) => [`CLM-${index}`]);

    expect(linesOf(table(columnsNamed('Locator'), rows, plainScreen(80)))).toHaveLength(many + 1);
  });

  it('formats a cell with hundreds of thousands of words', () => {
    const lines = linesOf(table(columnsNamed('Note'), [['word '.repeat(many).trim()]], plainScreen(80)));

    expect(lines.slice(1).join(' ').split(' ')).toHaveLength(many);
  });
});
