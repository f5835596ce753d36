import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charactersOf, columnsOf, linesOf, pieces, plainScreen } from './screen.test.support.ts';
import { table, wrap } from './table.ts';

const columnsNamed = (...titles: readonly string[]) => titles.map((title) => ({ title }));

const note = /^\((\d+) more/;

const aWord = fc.string({ unit: fc.constantFrom(...Object.keys(pieces)), minLength: 1, maxLength: 12 });
const aText = fc.array(aWord, { maxLength: 8 }).map((words) => words.join(' '));

/** A table of any shape: some columns, and rows that may be shorter than they should be. */
const aTable = fc.integer({ min: 1, max: 7 }).chain((count) =>
  fc.record({
    columns: fc.array(fc.record({ title: aText, align: fc.constant('right') }, { requiredKeys: ['title'] }), {
      minLength: count,
      maxLength: count,
    }),
    rows: fc.array(fc.array(aText, { maxLength: count }), { maxLength: 6 }),
  }),
);

/** All that can be seen, in no order. */
const visible = (texts: readonly string[]) =>
  texts
    .flatMap(charactersOf)
    .filter((one) => one !== ' ')
    .toSorted();

const longestWord = (texts: readonly string[]) =>
  Math.max(...texts.flatMap((text) => text.split(' ')).map((word) => columnsOf(word)));

describe('a table of any shape, on any screen from 20 to 200 columns', () => {
  it('has no line that is wider than the screen, as long as one column fits', () => {
    fc.assert(
      fc.property(aTable, fc.integer({ min: 20, max: 200 }), ({ columns, rows }, width) => {
        fc.pre(longestWord([columns[0]?.title ?? '', ...rows.map(([first = '']) => first)]) <= width);
        const lines = linesOf(table(columns, rows, plainScreen(width))).filter((line) => !note.test(line));

        expect(Math.max(...lines.map((line) => columnsOf(line)))).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('loses no text of the columns that it shows, and says how many it does not', () => {
    fc.assert(
      fc.property(aTable, fc.integer({ min: 20, max: 200 }), ({ columns, rows }, width) => {
        const lines = linesOf(table(columns, rows, plainScreen(width)));
        // On a narrow screen the note takes two lines.
        const begin = lines.findLastIndex((line) => /^\(\d+ more/.test(line));
        const [, left = '0'] = begin === -1 ? [] : (note.exec(lines.slice(begin).join(' ')) ?? []);
        const shown = columns.length - Number(left);
        const cells = [columns.map(({ title }) => title), ...rows].flatMap((row) => row.slice(0, shown));

        expect(visible(left === '0' ? lines : lines.slice(0, begin))).toEqual(visible(cells));
      }),
    );
  });

  it('has one line for each row where there is room, with every cell whole and under its title', () => {
    fc.assert(
      fc.property(aTable, ({ columns, rows }) => {
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

describe('what gives way on a narrow screen', () => {
  const uuid = '123e4567-e89b-12d3-a456-426614174000';
  const prose = 'Something that takes many words to say and can be wrapped anywhere between two of them';

  it('is prose before anything else, and it is wrapped between words', () => {
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

  it.each([48, 50, 60, 72, 80])('is not an identifier while prose can, on %i columns', (width) => {
    const before = linesOf(table(columnsNamed('Id', 'What'), [[uuid, prose]], plainScreen(width)));
    const after = linesOf(table(columnsNamed('What', 'Id'), [[prose, uuid]], plainScreen(width)));

    for (const lines of [before, after]) {
      expect(lines.filter((line) => line.includes(uuid))).toHaveLength(1);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    }
  });

  it('is not an identifier of the length that a locator may have, where the terminal is wide enough', () => {
    const locator = 'L'.repeat(64);
    const lines = linesOf(table(columnsNamed('Locator', 'What'), [[locator, prose]], plainScreen(100)));

    expect(lines.filter((line) => line.includes(locator))).toHaveLength(1);
  });

  it('is a column at the right when nothing else can, and this is said', () => {
    const columns = columnsNamed('Alpha', 'Beta', 'Gamma', 'Delta');
    const lines = linesOf(table(columns, [['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc', 'd']], plainScreen(45)));

    expect(lines).toEqual([
      'Alpha         Beta          Gamma',
      'aaaaaaaaaaaa  bbbbbbbbbbbb  cccccccccccc',
      expect.stringMatching(/^\(1 more/),
    ]);
  });

  it('is said without a line that is itself too wide', () => {
    const columns = columnsNamed('Alpha', 'Beta', 'Gamma', 'Delta');
    const lines = linesOf(table(columns, [['one', 'two', 'three', 'four']], plainScreen(20)));

    expect(lines.join(' ')).toMatch(/\(1 more/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(20);
  });
});

describe('wide characters', () => {
  it.each([
    ['of East Asia', '字字', 4],
    ['of Korea', '한국', 4],
    ['emoji', '😀', 2],
    ['emoji of several people', '👩‍👩‍👧', 2],
    ['flags', '🇨🇭', 2],
    ['emoji with a colour of skin', '👍🏽', 2],
    ['and letters with a combining mark, which are not wide,', 'x\u0302', 1],
  ])('%s take the columns that they take on a terminal', (_, text, columns) => {
    const [title] = linesOf(table(columnsNamed(text, 'next'), [], plainScreen(80)));

    expect(title).toBe(`${text}  next`);
    expect(linesOf(table(columnsNamed('123456', 'next'), [[text, 'x']], plainScreen(80)))[1]).toBe(
      `${text}${' '.repeat(6 - columns)}  x`,
    );
  });

  it('are never cut in half', () => {
    expect(wrap('字字字字字', 5)).toEqual(['字字', '字字', '字']);
    expect(wrap('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']);
  });
});

it('puts what is aligned right to the right, its title too', () => {
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

it('makes nothing but the titles bold, and what it says of itself dim', () => {
  const marked = { width: 22, style: (format: string, text: string) => `<${format}>${text}</${format}>` };
  const lines = linesOf(table(columnsNamed('Alpha', 'Beta'), [['aaaaaaaaaaaa', 'bbbbbbbbbbbb']], marked));

  expect(lines[0]).toBe('<bold>Alpha</bold>');
  expect(lines[1]).toBe('aaaaaaaaaaaa');
  expect(lines.slice(2).join('')).toMatch(/^<dim>\(1 more/);
});

it.each([
  ['no rows', columnsNamed('Alpha', 'Beta'), [], 'Alpha  Beta\n'],
  ['a row without cells', columnsNamed('Alpha', 'Beta'), [[]], 'Alpha  Beta\n\n'],
])('shows a table with %s', (_, columns, rows, shown) => {
  expect(table(columns, rows, plainScreen(80))).toBe(shown);
});

describe('a table of any size', () => {
  it('may have hundreds of thousands of rows', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [`CLM-${index}`]);

    expect(linesOf(table(columnsNamed('Locator'), rows, plainScreen(80)))).toHaveLength(200_001);
  });

  it('may have a cell of hundreds of thousands of words', () => {
    const lines = linesOf(table(columnsNamed('Note'), [['word '.repeat(200_000).trim()]], plainScreen(80)));

    expect(lines.slice(1).join(' ').split(' ')).toHaveLength(200_000);
  });
});
