import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, linesOf, plainScreen } from './screen.test.support.ts';
import { showAnswer } from './view.ts';

const shown = (value: unknown, { width = 80, wanted = [] as readonly string[] } = {}) =>
  linesOf(showAnswer(wanted)(value, plainScreen(width))).map((line) => line.trimEnd());

describe('an object', () => {
  it('is a line for each of its fields, by names that people read', () => {
    expect(
      shown({ locator: 'PTY-1', preferredName: 'Sample Member A', 'mail-address': 'a@example.com', is_active: true }),
    ).toEqual([
      'Locator         PTY-1',
      'Preferred name  Sample Member A',
      'Mail address    a@example.com',
      'Is active       yes',
    ]);
  });

  it('says of every value what it is', () => {
    expect(shown({ a: null, b: true, c: false, d: 12, e: '', f: 'text', g: [], h: ['x', 1, null, true] })).toEqual([
      'A  -',
      'B  yes',
      'C  no',
      'D  12',
      'E',
      'F  text',
      'G  none',
      'H  x, 1, -, yes',
    ]);
  });

  it('has what is nested below it, indented', () => {
    expect(shown({ plan: { name: 'Gold', network: { name: 'North' } }, locator: 'COV-1' })).toEqual([
      'Locator  COV-1',
      'Plan',
      '  Name  Gold',
      '  Network',
      '    Name  North',
    ]);
  });

  it('wraps long values beside their names', () => {
    expect(shown({ note: 'Some words that do not fit on one line', id: 1 }, { width: 24 })).toEqual([
      'Note  Some words that do',
      '      not fit on one',
      '      line',
      'Id    1',
    ]);
  });

  it('shows balances that are all alike as one table', () => {
    const accumulators = {
      currency: 'USD',
      deductible: { individual: { limit: 1500, used: 100 }, family: { limit: 3000, used: 250.5 } },
    };

    expect(shown(accumulators)).toEqual([
      'Currency  USD',
      'Deductible',
      '                     Limit        Used',
      '  individual  USD 1,500.00  USD 100.00',
      '  family      USD 3,000.00  USD 250.50',
    ]);
  });

  it('may have names of wide characters, beside which the values still stand in one column', () => {
    const [first = '', second = ''] = shown({ 字字: 'one', locator: 'two' });

    expect(columnsOf(first.slice(0, first.indexOf('one')))).toBe(columnsOf(second.slice(0, second.indexOf('two'))));
  });

  it('shows all it has, on a screen that is wide enough', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(fc.dictionary(word, word, { minKeys: 1 }), (value) => {
        const said = shown(value, { width: 200 }).map((line) => line.toLowerCase().split(/ {2,}/));

        expect(said).toEqual(Object.entries(value));
      }),
    );
  });
});

describe('a list', () => {
  const claims = [
    { locator: 'CLM-1', provider: { name: 'Clinic' }, lines: [{ code: 'D1' }, { code: 'D2' }], billed: 10 },
    { locator: 'CLM-2', status: 'paid', billed: 1200.5 },
  ];

  it('is a table of all fields, nested ones by their path, lists of objects by their number, numbers to the right', () => {
    expect(shown({ claims })).toEqual([
      'Locator  Provider name  Lines  Billed  Status',
      'CLM-1    Clinic             2      10  -',
      'CLM-2    -                  -  1200.5  paid',
    ]);
  });

  it('has the wanted columns where they exist', () => {
    expect(shown({ claims }, { wanted: ['status', 'locator', 'nothing'] })).toEqual([
      'Status  Locator',
      '-       CLM-1',
      'paid    CLM-2',
    ]);
  });

  it('of a service that names everything otherwise is still shown', () => {
    expect(shown({ claims: [{ id: 'a', state: 'b' }] }, { wanted: ['locator', 'status'] })).toEqual([
      'Id  State',
      'a   b',
    ]);
  });

  it('is followed by what is said about it', () => {
    expect(shown({ total: 3, claims: [{ locator: 'CLM-1', status: 'paid' }], nextCursor: 'x' })).toEqual([
      'Locator  Status',
      'CLM-1    paid',
      'Total        3',
      'Next cursor  x',
    ]);
  });

  it('need not be under a name', () => {
    expect(shown([{ a: 1 }, { a: 2 }])).toEqual(['A', '1', '2']);
    expect(shown(['one', 2, null])).toEqual(['one', '2', '-']);
  });

  it.each([
    ['under a name', { claims: [] }, ['Nothing is there.']],
    ['with what is said about it', { claims: [], total: 0 }, ['Claims  none', 'Total   0']],
  ])('says that it is empty, %s', (_, value, lines) => {
    expect(shown(value)).toEqual(lines);
  });

  it('fits the screen', () => {
    const documents = [{ locator: 'DOC-EOB-1001-05', title: 'Explanation of benefits for a visit in the spring' }];

    for (let width = 30; width <= 200; width++)
      expect(Math.max(...shown({ documents }, { width }).map(columnsOf))).toBeLessThanOrEqual(width);
  });
});

it.each([
  ['nothing at all (204)', undefined, ['Done.']],
  ['null', null, ['-']],
  ['a number', 12, ['12']],
  ['a text', 'text', ['text']],
  ['true', true, ['yes']],
])('shows %s', (_, value, lines) => {
  expect(shown(value)).toEqual(lines);
});

it.each([
  ['an empty object', {}],
  ['an empty list', []],
  ['an empty object under a name', { plan: {} }],
  ['a list of empty objects', { claims: [{}] }],
  ['a list of objects that hold only empty objects', { claims: [{ a: {} }] }],
  ['such a list beside something else', { plan: 'Gold', claims: [{ a: {} }] }],
])('says something of %s', (_, value) => {
  // A name with nothing beside or below it, or an empty line, would look like a fault.
  expect(shown(value).join('\n')).toMatch(/\b(?:no|none|nothing|empty)\b|\{\}|\[\]|-/i);
});

describe('an amount', () => {
  it.each([
    ['with its currency beside it', { currency: 'USD', amount: 1084.5 }, 'USD 1,084.50'],
    ['with its currency further out', { currency: 'EUR', claim: { paidAmount: 3 } }, 'EUR 3.00'],
    [
      'with a currency further out and a nearer one',
      { currency: 'EUR', claim: { currency: 'CHF', paid: 3 } },
      'CHF 3.00',
    ],
    ['in a list, with its own currency', { claims: [{ amount: 5, currency: 'GBP' }], currency: 'EUR' }, 'GBP 5.00'],
    ['in a list, with the currency of the list', { claims: [{ amount: 5 }], currency: 'EUR' }, 'EUR 5.00'],
    ['below zero', { currency: 'USD', balance: -4.5 }, '-USD 4.50'],
    ['minus zero, which has no sign', { currency: 'USD', balance: -0 }, 'Balance   USD 0.00'],
    ['rounded to zero, which has no sign', { currency: 'USD', balance: -0.000_01 }, 'Balance   USD 0.00'],
    ['in a currency without cents', { currency: 'JPY', amount: 1200 }, 'JPY 1,200'],
  ])('%s is money', (_, value, money) => {
    expect(shown(value).join('\n')).toContain(money);
  });

  it.each([
    ['without a currency', { amount: 1084.5 }],
    ['whose name says nothing of money', { currency: 'USD', weight: 1084.5 }],
    ['with a currency that is none', { currency: 'US Dollar', amount: 1084.5 }],
    ['with a currency that is no text', { currency: 840, amount: 1084.5 }],
    ['in a list, with a currency that is none', { claims: [{ currency: 'US Dollar', amount: 1084.5 }] }],
    ['in a list, with a currency that is empty', { claims: [{ currency: '', amount: 1084.5 }] }],
    ['in a list, with a currency in small letters', { claims: [{ currency: 'usd ', amount: 1084.5 }] }],
  ])('%s is a number', (_, value) => {
    expect(shown(value).join('\n')).toMatch(/\b1084\.5\b/);
  });

  it('that is a text stays as it is', () => {
    expect(shown({ currency: 'USD', amount: '1084.50' })).toContain('Amount    1084.50');
  });
});

describe('a date', () => {
  it.each([
    ['2026-03-05', '5 Mar 2026'],
    ['2024-02-29', '29 Feb 2024'],
    ['2026-12-31T23:59:59.999Z', '31 Dec 2026 23:59 UTC'],
    ['2026-03-05T10:15Z', '5 Mar 2026 10:15 UTC'],
    ['2026-03-05T10:15:00+02:00', '5 Mar 2026 08:15 UTC'],
    ['2026-01-01T00:30:00+02:00', '31 Dec 2025 22:30 UTC'],
  ])('%s reads %s', (text, read) => {
    expect(shown({ on: text })).toEqual([`On  ${read}`]);
    expect(shown([{ on: text }])).toEqual(['On', read]);
  });

  it.each([
    '2026-02-30',
    '2025-02-29',
    '2026-02-30T10:00:00Z',
    '2026-13-01',
    '2026-00-10',
    '2026-03-05T25:00:00Z',
    '2026-03-05T10:15:00',
    '2026-03-05 10:15',
    '2026-3-5',
    '20260305',
    '5555-1234-22',
    '2026-03-05-A',
    '2026',
    'CLM-2026-03-05',
  ])('is not what only looks like one: %s', (text) => {
    expect(shown({ on: text })).toEqual([`On  ${text}`]);
  });
});

describe('whatever a service answers', () => {
  const width = fc.oneof(fc.integer({ min: 20, max: 200 }), fc.constant(Infinity));

  it('is shown', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), width, (value, width) => {
        expect(showAnswer(['locator', 'status'])(value, plainScreen(width))).toMatch(/\n$/);
      }),
      { numRuns: 500 },
    );
  });

  it('is shown also when it says of itself that it is money, a date or an object like no other', () => {
    const name = fc.constantFrom(
      'currency',
      'amount',
      'total',
      'locator',
      'on',
      ' ',
      '',
      '_',
      '__proto__',
      'constructor',
      'length',
    );
    const scalar = fc.oneof(
      fc.constantFrom(
        'USD',
        'US Dollar',
        'usd',
        '',
        '2026-02-30',
        '2026-03-05T10:15Z',
        '0000-01-01',
        '9999-12-31',
        null,
        true,
      ),
      fc.double({ noDefaultInfinity: true, noNaN: true }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), fc.array(tie('value'), { maxLength: 4 })),
      // By way of JSON, so that `__proto__` is a name like any other.
      object: fc
        .array(fc.tuple(name, tie('value')), { maxLength: 4 })
        .map(
          (fields) =>
            JSON.parse(
              `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${JSON.stringify(field)}`).join()}}`,
            ) as unknown,
        ),
    }));
    fc.assert(
      fc.property(value, width, (value, width) => {
        expect(showAnswer(['locator', 'status'])(value, plainScreen(width))).toMatch(/\n$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves the terminal as it is: no control character and no direction mark gets through, wherever it stands', () => {
    const nasty = fc
      .array(
        fc.constantFrom(
          '\u001b',
          '[31m',
          ']0;',
          '\u0007',
          '\u009b',
          '\u009d',
          '\u0000',
          '\r',
          '\b',
          '\u202e',
          '\u2066',
          '\u200f',
          'a',
          '字',
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join(''));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        nasty,
        fc.dictionary(nasty, tie('value'), { maxKeys: 4 }),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, width, (value, width) => {
        expect(showAnswer()(value, plainScreen(width)).replaceAll('\n', '')).not.toMatch(
          /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['objects', '{"a":', '1', '}'],
    ['lists', '[', '1', ']'],
    ['objects and lists', '{"a":[{"b":[', '1', ']}]}'],
  ])('may have %s in each other, a hundred and ten thousand deep', (_, open, middle, close) => {
    for (const depth of [100, 10_000])
      expect(showAnswer()(JSON.parse(open.repeat(depth) + middle + close.repeat(depth)), plainScreen(80))).toMatch(
        /\n$/,
      );
  });

  it.each([
    ['fields', Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`field${index}`, index]))],
    ['rows', { log: Array.from({ length: 150_000 }, (_, index) => ({ locator: `LOG-${index}` })) }],
    ['scalars', { log: Array.from({ length: 150_000 }, (_, index) => index) }],
    ['words', { log: [{ text: 'word '.repeat(150_000) }] }],
  ])('may have hundreds of thousands of %s', (_, value) => {
    expect(showAnswer()(value, plainScreen(80)).length).toBeGreaterThan(150_000);
  });
});
