import { describe, expect, it } from 'vitest';
import { linesOf, plainScreen } from '../../output/screen.test.support.ts';
import { offersView, type OfferOptions } from './offers-view.ts';

const trace = (label: string) => ({ transaction_id: 't-1', elapsed_ms: 12, label });

const callback = (bppId: string, ...items: object[]) => ({
  context: { bpp_id: bppId },
  message: { catalog: { providers: [{ id: 'P', descriptor: { name: 'Lake Pharmacy' }, items }] } },
});

const oximeter = {
  id: 'I-1',
  descriptor: { name: 'Pulse &amp; oximeter', short_desc: 'Measures\u001b[2J oxygen' },
  price: { currency: 'INR', listed_value: '1500', offered_value: '1200' },
  category_id: 'Devices',
  rating: '4.5',
  location_ids: ['L-1'],
  distance: '1.25 km',
};
const mat = {
  id: 'I-2',
  descriptor: { name: 'Mat' },
  price: { currency: 'INR', minimum_value: '200', maximum_value: '300' },
  quantity: { available: { count: 0 } },
};

const shown = (response: object, width?: number, options: OfferOptions = {}) =>
  linesOf(offersView(options)(response, plainScreen(width)));

const oneNetwork = { mh: callback('b.example', oximeter, mat), traces: { mh: trace('Health market') } };

it('the view of offers shows why there are none when the persona searches none of the networks', () => {
  expect(shown(oneNetwork, undefined, { legs: ['moa'] })).toEqual([
    'No offers: none of these networks is searched for this persona.',
  ]);
});

describe('the table of offers', () => {
  it('shows category, location, rating and description if they fit', () => {
    expect(shown(oneNetwork)).toEqual([
      'mh: Health market  12 ms  t-1',
      '',
      'Offer                                             Price  Seller         Network  Category  Location  Rating  Description',
      'Pulse & oximeter     INR 1,200.00 (listed INR 1,500.00)  Lake Pharmacy  mh       Devices   1.3 km    4.5     Measures oxygen',
      'Mat (not available)            INR 200.00 to INR 300.00  Lake Pharmacy  mh',
    ]);
  });

  it('shows offer, price, seller and network on a narrow screen, and names the other columns', () => {
    const lines = shown(oneNetwork, 90);
    expect(lines[2]).toMatch(/^Offer +Price {2}Seller +Network$/);
    expect(lines.at(-1)).toBe(
      '(4 more columns: Category, Location, Rating, Description; use a wider terminal or --json)',
    );
  });

  it('shows the error of a failed leg, and that other legs have no offers', () => {
    const response = {
      moa: callback('a.example'),
      mh: null,
      errors: { mh: { kind: 'timeout', detail: 'no callback within 100 ms' } },
      traces: { moa: trace('One'), mh: trace('Other') },
    };
    expect(shown(response)).toEqual([
      'moa: One  12 ms  t-1',
      'mh: Other  12 ms  t-1',
      'timeout: no callback within 100 ms',
      '',
      'No offers.',
    ]);
  });

  it('shows only the errors when all legs failed', () => {
    const response = {
      moa: { context: {}, error: { code: '40000', message: 'Closed' } },
      traces: { moa: trace('One') },
    };
    expect(shown(response)).toEqual(['moa: One  12 ms  t-1', 'seller error 40000: Closed']);
    expect(offersView({}).rows?.(response)).toEqual([{ leg: 'moa', error: 'seller error 40000: Closed' }]);
  });

  it('shows that no offer matches the filter', () => {
    expect(shown(oneNetwork, Infinity, { text: 'dental' }).slice(1)).toEqual(['', 'No offers match the filter.']);
  });

  it('shows only the legs of the filter', () => {
    const response = { ...oneNetwork, moa: null, traces: { moa: trace('One'), mh: trace('Other') } };
    expect(shown(response, Infinity, { legs: ['mh'] })[0]).toMatch(/^mh: /);
  });
});

describe('a leg with several sellers', () => {
  const response = {
    mh: { responses: [callback('b.example', mat), callback('c.example', mat)] },
    errors: {
      mh: {
        sellers: [
          { bpp_id: 'd.example', code: '40000', message: 'Closed' },
          { bpp_id: 'e.example', error: { code: 30001 } },
          'odd',
        ],
      },
    },
    traces: { mh: trace('Health market') },
  };

  it('shows the offers of each seller and the errors of the others', () => {
    expect(shown(response)).toEqual([
      'mh: Health market  12 ms  t-1',
      'd.example seller error 40000: Closed',
      'e.example seller error 30001',
      '',
      'Offer                                   Price  Seller         Network',
      'Mat (not available)  INR 200.00 to INR 300.00  Lake Pharmacy  mh',
      'Mat (not available)  INR 200.00 to INR 300.00  Lake Pharmacy  mh',
    ]);
  });

  it('has rows for CSV with the errors first', () => {
    expect(offersView({}).rows?.(response)).toMatchObject([
      { leg: 'mh', error: 'd.example seller error 40000: Closed' },
      { leg: 'mh', error: 'e.example seller error 30001' },
      { leg: 'mh', provider: 'Lake Pharmacy', offer: 'Mat', minimumValue: '200', sellerId: 'b.example' },
      { leg: 'mh', offer: 'Mat', maximumValue: '300', sellerId: 'c.example' },
    ]);
  });
});

const long = (nth: number) => `${nth}`.repeat(200);
const shared = Array.from({ length: 20 }, (_, nth) => ({ id: `${nth}`, descriptor: { name: long(nth) } }));
const responseWith = (count: number, provider: object = {}, item: object = {}) => {
  const items = Array.from({ length: count }, (_, id) => ({ id, ...item }));
  const body = {
    context: { bpp_id: 'b'.repeat(999) },
    message: { catalog: { providers: [{ ...provider, items }] } },
  };
  return { mh: body, traces: { mh: trace('One') } };
};

describe('a large catalog', () => {
  it('has at most 1000 rows in the table', () => {
    const lines = shown(responseWith(1002));
    expect(lines).toHaveLength(3 + 1000 + 1);
    expect(lines.at(-1)).toBe('(2 more offers; use --filter, or --json for all)');
    expect(shown(responseWith(1000))).toHaveLength(3 + 1000);
  });

  it('has at most 100 000 offers in CSV', () => {
    const rows = offersView({}).rows?.(responseWith(100_002)) ?? [];
    expect(rows).toHaveLength(1 + 100_000);
    expect(rows[0]).toEqual({ error: '2 more offers; use --filter, or --json for all' });
  });

  it('has shortened texts where many offers share them', () => {
    const provider = { categories: shared, locations: shared };
    const response = responseWith(1, provider, { category_ids: shared.map(({ id }) => id) });
    const [row] = (offersView({}).rows?.(response) ?? []) as Record<string, string>[];
    expect([row?.['category'], row?.['location'], row?.['sellerId']].map((text) => text?.length)).toEqual([
      500, 500, 500,
    ]);
    expect(Math.max(...shown(response).map(({ length }) => length))).toBeLessThan(1000);
  });
});
