import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, date, type Field, price, share, state, text } from './field.ts';
import { columnsOf, linesOf, markedScreen, plainScreen } from './screen.test.support.ts';
import { showList, showResource } from './view.ts';

const showClaim = showResource(
  [text('locator'), text('provider.name'), text('codes'), date('receivedDate'), amount('billedAmount')],
  { serviceLines: [text('description'), amount('billedAmount')] },
);
const showClaims = showList('claims', [text('locator'), text('provider.name'), amount('billedAmount')], 'No claims.');

const claim = (value: unknown, width = 80) => linesOf(showClaim(value, plainScreen(width)));
const claims = (value: unknown, width = 80) => linesOf(showClaims(value, plainScreen(width)));
const value = (field: Field, resource: Readonly<Record<string, unknown>>) =>
  showResource([field, text('currency')])(resource, plainScreen())
    .split('\n')[0]
    ?.replace(/^.*? {2,}/, '');

describe('a resource', () => {
  it('shows a line per known field of a resource, in the order of the command', () => {
    expect(claim({ receivedDate: '2026-03-05', provider: { name: 'Clinic' }, locator: 'CLM-1' })).toEqual([
      'Locator        CLM-1',
      'Provider name  Clinic',
      'Received date  5 Mar 2026',
    ]);
  });

  it('shows missing values, booleans and arrays in words', () => {
    expect(claim({ locator: null, provider: { name: true }, codes: ['x', 1, null, false] })).toEqual([
      'Locator        -',
      'Provider name  yes',
      'Codes          x, 1, -, no',
    ]);
    expect(claim({ codes: [] })).toEqual(['Codes  none']);
  });

  it('shows known lists as tables', () => {
    const serviceLines = [{ description: 'Visit', billedAmount: 84.5, code: 'D1' }, { description: 'X-ray' }];
    expect(claim({ currency: 'USD', locator: 'CLM-1', serviceLines }).slice(0, 5)).toEqual([
      'Locator  CLM-1',
      'Service lines',
      'Description  Billed amount',
      'Visit            USD 84.50',
      'X-ray                    -',
    ]);
    expect(claim({ locator: 'CLM-1', serviceLines: [] })).toEqual(['Locator  CLM-1', 'Service lines  none']);
  });

  it('shows unknown fields as indented JSON', () => {
    const rest = { serviceLines: 'none', flag: true, provider: 'Clinic' };
    const json = JSON.stringify(rest, undefined, 2).split('\n');
    expect(claim({ locator: 'CLM-1', ...rest })).toEqual(['Locator  CLM-1', ...json]);
    expect(claim({ provider: { name: 'Clinic', npi: 'left to --json' } })).toEqual(['Provider name  Clinic']);
  });

  it('wraps long values next to their titles', () => {
    expect(claim({ locator: 'Some words that do not fit on one line', provider: { name: 'A' } }, 34)).toEqual([
      'Locator        Some words that do',
      '               not fit on one line',
      'Provider name  A',
    ]);
  });

  it.each([
    ['no content (204)', undefined, ['Done.']],
    ['null', null, ['null']],
    ['a string', 'text', ['"text"']],
    ['an empty object', {}, ['No data.']],
    ['an empty list', [], ['[]']],
  ])('shows a response body with %s', (_, body, lines) => {
    expect(claim(body)).toEqual(lines);
  });
});

describe('a list', () => {
  const items = [
    { locator: 'CLM-1', provider: { name: 'Clinic' }, billedAmount: 10, currency: 'USD', unknown: 1 },
    { locator: 'CLM-2', billedAmount: 1200.5 },
  ];

  it('shows a list as a table with the columns of the command', () => {
    expect(claims({ claims: items })).toEqual([
      'Locator  Provider name  Billed amount',
      'CLM-1    Clinic             USD 10.00',
      'CLM-2    -                     1200.5',
    ]);
  });

  it('accepts a list that is the whole response body', () => {
    expect(claims(items)).toEqual(claims({ claims: items }));
  });

  it('hides a column that no item of the list has', () => {
    expect(claims([{ locator: 'CLM-1' }])).toEqual(['Locator', 'CLM-1']);
  });

  it('shows the other fields of the response after the list', () => {
    expect(claims({ total: 3, claims: [{ locator: 'CLM-1' }] })).toEqual([
      'Locator',
      'CLM-1',
      '{',
      '  "total": 3',
      '}',
    ]);
  });

  it.each([
    ['a list of items without any known column', { claims: [{ id: 'a' }] }],
    ['a list with another name', { items: [{ locator: 'CLM-1' }] }],
    ['a list of strings', { claims: ['CLM-1'] }],
  ])('shows %s as JSON', (_, body) => {
    expect(claims(body).join('\n')).toBe(JSON.stringify(body, undefined, 2));
  });

  it('reports a response without content (204) as done', () => {
    expect(claims(undefined)).toEqual(['Done.']);
  });

  it('reports an empty list in words', () => {
    expect(claims({ claims: [] })).toEqual(['No claims.']);
    expect(claims([])).toEqual(['No claims.']);
  });

  it('fits a list to the screen', () => {
    const wide = [{ locator: 'CLM-1001-05', provider: { name: 'A clinic for orthopedics and sports medicine' } }];

    for (let width = 30; width <= 200; width++)
      expect(Math.max(...claims({ claims: wide }, width).map(columnsOf))).toBeLessThanOrEqual(width);
  });
});

describe('an amount', () => {
  it.each([
    [{ currency: 'USD', paid: 1084.5 }, 'USD 1,084.50'],
    [{ currency: 'USD', paid: -4.5 }, '-USD 4.50'],
    [{ currency: 'USD', paid: -0 }, 'USD 0.00'],
    [{ currency: 'USD', paid: -0.000_01 }, 'USD 0.00'],
    [{ currency: 'JPY', paid: 1200 }, 'JPY 1,200'],
  ])('shows %j in its currency: %s', (resource, shown) => {
    expect(value(amount('paid'), resource)).toBe(shown);
  });

  it('uses the currency of an item, otherwise the currency of the list', () => {
    expect(claims({ currency: 'EUR', claims: [{ billedAmount: 5, currency: 'GBP' }, { billedAmount: 5 }] })).toEqual([
      'Billed amount',
      '     GBP 5.00',
      '     EUR 5.00',
      '{',
      '  "currency": "EUR"',
      '}',
    ]);
  });

  it.each([
    ['without a currency', { paid: 1084.5 }],
    ['with a currency that does not exist', { currency: 'US Dollar', paid: 1084.5 }],
    ['with a currency in lower case', { currency: 'usd', paid: 1084.5 }],
    ['that is a string', { currency: 'USD', paid: '1084.5' }],
  ])('shows an amount %s unchanged', (_, resource) => {
    expect(value(amount('paid'), resource)).toBe('1084.5');
  });

  it('shows a field that is not an amount as a plain number', () => {
    expect(value(text('amount'), { currency: 'USD', amount: 1084.5 })).toBe('1084.5');
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
  ])('shows %s as %s', (on, readable) => {
    expect(value(date('on'), { on })).toBe(readable);
    expect(value(text('on'), { on })).toBe(on);
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
  ])('shows an invalid date unchanged: %s', (on) => {
    expect(value(date('on'), { on })).toBe(on);
  });
});

describe('a state', () => {
  const view = showResource([state('status')]);
  const shown = (status: string, screen = markedScreen()) => view({ status }, screen);

  it.each([
    ['paid', '<green>paid</green>'],
    ['delivered', '<green>delivered</green>'],
    ['in-review', '<yellow>in review</yellow>'],
    ['IN_REVIEW', '<yellow>IN REVIEW</yellow>'],
    ['denied', '<red>denied</red>'],
    ['failed', '<red>failed</red>'],
    ['toString', 'toString'],
  ])('a state is coloured on a terminal: %s', (value, coloured) => {
    expect(shown(value)).toBe(`<dim>Status</dim>  ${coloured}\n`);
  });

  it('a state has no colour elsewhere', () => {
    expect(shown('in-review', plainScreen())).toBe('Status  in review\n');
  });
});

describe('a share', () => {
  const field = share('used', 'limit', 'Reached');
  const shown = (used: unknown, limit: unknown, screen = plainScreen()) =>
    showResource([field])({ used, limit }, screen)
      .split('\n')[0]
      ?.replace(/^.*Reached\S*\s+/, '');

  it('a share has a bar on a terminal', () => {
    expect(shown(1065, 1500, markedScreen())).toBe('<yellow>█████</yellow>░░░ 71 %');
    expect(shown(1500, 1500, markedScreen())).toBe('<green>████████</green> 100 %');
    expect(shown(1800, 1500, markedScreen())).toBe('<green>████████</green> 120 %');
  });

  it('a share is a number of percent elsewhere', () => {
    expect(shown(1065, 1500)).toBe('71 %');
  });

  it.each([
    [5, 0],
    [-5, 10],
    ['5', 10],
    [5, null],
  ])('a share is not shown for %j of %j', (used, limit) => {
    expect(shown(used, limit, markedScreen())).toBe('-');
  });
});

describe('a price', () => {
  it.each([
    ['1899.00', 'INR', 'INR 1,899.00'],
    ['12', 'EUR', 'EUR 12.00'],
    ['about 5', 'EUR', 'about 5 EUR'],
    ['0012345678901234567', 'EUR', '0012345678901234567 EUR'],
    ['12.50', 'Rs\u001b[31m', '12.50 Rs'],
  ])('a price of %s %s is shown as %s', (value, currency, shown) => {
    expect(price(value, currency)).toBe(shown);
  });
});

describe('any response of a service', () => {
  const known = [
    text('locator'),
    date('on'),
    amount('amount'),
    text('a.b'),
    state(' '),
    share('total', 'length', 'Share'),
  ];
  const views = [showList('log', known), showResource(known, { log: known })];
  const width = fc.oneof(fc.integer({ min: 20, max: 200 }), fc.constant(Infinity));

  it('shows any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), width, (value, width) => {
        expect(views.map((view) => view(value, plainScreen(width))).join('')).toMatch(/\n$/);
      }),
      { numRuns: 500 },
    );
  });

  it('shows responses with unexpected names and values', () => {
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
      // Through JSON, so that `__proto__` is an ordinary name.
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
        expect(views.map((view) => view(value, plainScreen(width))).join('')).toMatch(/\n$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('removes control characters and direction marks everywhere', () => {
    const hostile = fc
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
        hostile,
        fc.dictionary(hostile, tie('value'), { maxKeys: 4 }),
        fc.array(tie('value'), { maxLength: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, width, (value, width) => {
        expect(
          views
            .map((view) => view(value, plainScreen(width)))
            .join('')
            .replaceAll('\n', ''),
        ).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['objects', '{"a":', '1', '}'],
    ['lists', '[', '1', ']'],
    ['objects and lists', '{"a":[{"b":[', '1', ']}]}'],
  ])('shows %s nested 100 and 10,000 levels deep', (_, open, middle, close) => {
    for (const depth of [100, 10_000])
      for (const view of views)
        expect(view(JSON.parse(open.repeat(depth) + middle + close.repeat(depth)), plainScreen(80))).toMatch(/\n$/);
  });

  it('states that levels are not shown', () => {
    for (const view of views)
      for (const [depth, isCut] of [
        [8, false],
        [9, true],
      ] as const)
        expect(
          view(JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`), plainScreen(80)).endsWith(
            'Levels beyond 8 are not shown: use --json.\n',
          ),
        ).toBe(isCut);
  });

  it.each([
    ['fields', Infinity, Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [`field${index}`, index]))],
    ['rows', Infinity, { log: Array.from({ length: 150_000 }, (_, index) => ({ locator: `LOG-${index}` })) }],
    ['scalars', Infinity, { log: Array.from({ length: 150_000 }, (_, index) => index) }],
    ['words', 80, { log: [{ text: 'word '.repeat(150_000) }] }],
  ])('shows hundreds of thousands of %s', (_, width, value) => {
    for (const view of views) expect(view(value, plainScreen(width)).length).toBeGreaterThan(150_000);
  });
});
