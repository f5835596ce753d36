import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOffers, readSellerError, readSellerErrors } from './catalog.ts';

const fieldNames = [
  'id descriptor name short_desc items price value __proto__ offers beckn:items category_ids provider fulfillments',
  'location_ids locations gps city geo coordinates distance unit rating images quantity available count time range',
].flatMap((names) => names.split(' '));

const offersIn = (catalog: unknown) => readOffers({ context: {}, message: { catalog } });

const dental = {
  id: 'SCHEME-1',
  descriptor: { name: 'Dental', short_desc: 'Teeth and gums' },
  price: { currency: 'INR', value: '120.50' },
};

const provider = (id: string, ...items: string[]) => ({
  id,
  items: items.map((item) => ({ id: item, descriptor: { name: item } })),
});

const named = (name: string) => ({ id: 'I1', descriptor: { name } });

/** Items with one id. */
const offering = (...names: readonly string[]) => names.map((name) => ({ id: '1', descriptor: { name } }));

const firstOf = (item: object) => offersIn({ providers: [{ items: [{ id: 'I1', ...item }] }] })[0];

describe('the offers of the real leg', () => {
  it('reads providers with a name', () => {
    expect(offersIn({ providers: [{ id: 'P1', descriptor: { name: 'Ministry' }, items: [dental] }] })).toEqual([
      {
        providerId: 'P1',
        providerName: 'Ministry',
        itemId: 'SCHEME-1',
        name: 'Dental',
        description: 'Teeth and gums',
        price: { value: '120.50', currency: 'INR' },
      },
    ]);
  });

  it('distinguishes providers with the same name by their ids', () => {
    const providers = ['P1', 'P2'].map((id) => ({ id, descriptor: { name: 'Ministry' }, items: [dental] }));
    expect(offersIn({ providers })).toMatchObject([{ providerId: 'P1' }, { providerId: 'P2' }]);
  });

  it('distinguishes providers without id by their name', () => {
    const providers = ['Ministry', 'Agency'].map((name) => ({ descriptor: { name }, items: [dental] }));
    expect(offersIn({ providers })).toMatchObject([
      { providerId: '', providerName: 'Ministry', itemId: 'SCHEME-1' },
      { providerId: '', providerName: 'Agency', itemId: 'SCHEME-1' },
    ]);
  });
});

describe('sellers without ids', () => {
  it.each([{ descriptor: { name: 'City Clinic' } }, {}])(
    'may use the same item id for different items, as providers %j',
    (clinic) => {
      const providers = [
        { ...clinic, items: offering('X-ray') },
        { ...clinic, items: offering('MRI', 'X-ray') },
      ];
      expect(offersIn({ providers }).map(({ name }) => name)).toEqual(['X-ray', 'MRI']);
    },
  );

  it('may sell items of one name at several prices', () => {
    const items = ['10', '20', '10'].map((value) => ({ descriptor: { name: 'Room' }, price: { value } }));
    const offers = offersIn({ providers: [{ id: 'P1', items }] });
    expect(offers.map(({ price }) => price?.value)).toEqual(['10', '20']);
  });

  it.each([[{ descriptor: { name: 'City Clinic' } }], [{}]])(
    'may use the same item id for items with different terms, as providers %j',
    (clinic) => {
      const providers = ['10', '20', '10'].map((value) => ({
        ...clinic,
        items: [{ id: '1', descriptor: { name: 'Room' }, offers: [{ id: 'T', price: { value } }] }],
      }));
      expect(offersIn({ providers }).map(({ price }) => price?.value)).toEqual(['10', '20']);
    },
  );

  it('have one offer for what they repeat, also if they do not name their platform', () => {
    const body = { context: {}, message: { catalog: { providers: [{ id: 'P1', items: offering('X-ray') }] } } };
    expect(readOffers({ responses: [body, body] })).toHaveLength(1);
  });

  it('are all different when they do not name their platform', () => {
    const responses = ['X-ray', 'MRI'].map((name) => ({
      context: {},
      message: { catalog: { providers: [{ id: 'P1', items: offering(name) }] } },
    }));
    expect(readOffers({ responses }).map(({ name }) => name)).toEqual(['X-ray', 'MRI']);
  });
});

describe('the offers of the mock leg', () => {
  it('reads providers with an id', () => {
    const items = [{ id: 'I1', descriptor: { name: 'Vitamin C' } }];
    expect(offersIn({ 'bpp/providers': [{ id: 'P1', items }] })).toEqual([
      { providerId: 'P1', providerName: 'P1', itemId: 'I1', name: 'Vitamin C' },
    ]);
  });
});

describe('the offers of a catalog', () => {
  it('reads both shapes in order when a catalog has both', () => {
    const offers = offersIn({
      'bpp/providers': [provider('P3', 'e')],
      providers: [provider('P1', 'b', 'a'), provider('P2', 'd')],
    });
    expect(offers.map(({ providerId, itemId }) => providerId + itemId)).toEqual(['P1b', 'P1a', 'P2d', 'P3e']);
  });

  it('keeps the first of several items with the same id', () => {
    const catalog = {
      providers: [
        { id: 'P1', items: [named('first'), named('again')] },
        { id: 'P1', items: [named('once more')] },
      ],
      'bpp/providers': [{ id: 'P1', items: [named('and in the other shape')] }],
    };
    expect(offersIn(catalog).map(({ name }) => name)).toEqual(['first']);
  });

  it('keeps items with the same id of different providers', () => {
    const items = [{ id: 'I1', descriptor: { name: 'x' } }];
    expect(offersIn({ providers: ['P1', 'P2'].map((id) => ({ id, items })) })).toHaveLength(2);
  });

  it('uses the id as name of an item without name', () => {
    const items = [
      { id: 'I1' },
      { id: 'I2', descriptor: {} },
      { id: 'I3', descriptor: { name: ' ' } },
      { id: 'I4', descriptor: 'x' },
    ];
    expect(offersIn({ providers: [{ id: 'P1', descriptor: null, items }] })).toEqual(
      ['I1', 'I2', 'I3', 'I4'].map((id) => ({ providerId: 'P1', providerName: 'P1', itemId: id, name: id })),
    );
  });

  it('distinguishes items without id by their name', () => {
    const items = [{ descriptor: { name: 'a' } }, { descriptor: { name: 'b' } }, { descriptor: { name: 'a' } }];
    expect(offersIn({ providers: [{ id: 'P1', items }] }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('omits an item without id and name', () => {
    const items = [{}, { id: '' }, { descriptor: { name: '', long_desc: 'what?' } }, null, 'item', ['item'], 7];
    expect(offersIn({ providers: [{ id: 'P1', items }] })).toEqual([]);
  });

  it('accepts numbers as ids', () => {
    const catalog = { providers: [{ id: 7, items: [{ id: 0, descriptor: { name: 5 } }] }] };
    expect(offersIn(catalog)).toEqual([{ providerId: '7', providerName: '7', itemId: '0', name: '5' }]);
  });

  it('uses the long description when there is no short one', () => {
    expect(firstOf({ descriptor: { long_desc: 'long' } })?.description).toBe('long');
    expect(firstOf({ descriptor: { name: 'A', long_desc: 'long', short_desc: 'short' } })?.description).toBe('short');
    expect(firstOf({ descriptor: { name: 'A', long_desc: 'long', short_desc: '' } })?.description).toBe('long');
    expect(firstOf({ descriptor: { name: 'Dental', short_desc: {} } })).not.toHaveProperty('description');
  });

  it('uses the code, then the short description, as name of an item or provider without name', () => {
    expect(firstOf({ descriptor: { code: 'ROOFTOP_2KW', short_desc: 'Rooftop solar' } })).toMatchObject({
      name: 'ROOFTOP_2KW',
      description: 'Rooftop solar',
    });
    expect(firstOf({ descriptor: { short_desc: 'Rooftop solar', long_desc: 'With panels' } })).toMatchObject({
      name: 'Rooftop solar',
      description: 'With panels',
    });
    expect(firstOf({ descriptor: { short_desc: 'Rooftop solar' } })).not.toHaveProperty('description');
    const providers = [{ id: 'P1', descriptor: { code: 'PNC' }, items: [{ id: 'I1' }] }];
    expect(offersIn({ providers })).toMatchObject([{ providerId: 'P1', providerName: 'PNC' }]);
  });

  it('returns a price when the item has a price value', () => {
    expect(firstOf({ price: { value: 0, currency: 'INR' } })?.price).toEqual({ value: '0', currency: 'INR' });
    expect(firstOf({ price: { value: '10' } })?.price).toEqual({ value: '10', currency: '' });
    expect(firstOf({ price: { currency: 'INR' } })).toEqual({
      providerId: '',
      providerName: '',
      itemId: 'I1',
      name: 'I1',
    });
    expect(firstOf({ price: '10 INR' })).not.toHaveProperty('price');
  });

  it.each([
    undefined,
    null,
    'catalog',
    7,
    [],
    {},
    { message: null },
    { message: { catalog: [] } },
    { message: { catalog: { providers: {} } } },
    { message: { catalog: { providers: [null, 1, 'x', [], {}, { items: {} }, { items: [[]] }] } } },
  ])('returns no offers for %j', (body) => {
    expect(readOffers(body)).toEqual([]);
  });

  it('ignores inherited properties of the body', () => {
    expect(readOffers(Object.create({ message: { catalog: { providers: [{ items: [{ id: 1 }] }] } } }))).toEqual([]);
  });

  it('reads any JSON without errors, and returns only offers with a name', () => {
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 8 },
        fc.constantFrom<unknown>(null, '', ' ', 'text', 0, -0, 1e300, true),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...fieldNames), tie('node'), { maxKeys: 5 }),
      ),
    }));
    const providers = fc.oneof(fc.array(node), node);
    const nearly = fc.record(
      { providers, 'bpp/providers': providers, items: providers, offers: providers, categories: providers },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), node), (body) => {
        expect(Array.isArray(readOffers(body))).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.oneof(nearly, fc.jsonValue()), (catalog) => {
        const bodies = [{ message: { catalog } }, { message: { catalogs: [catalog] } }];
        for (const offer of readOffers({ responses: bodies })) {
          expect(offer.name.trim()).not.toBe('');
          expect(JSON.parse(JSON.stringify(offer))).toEqual(offer);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the error of a seller', () => {
  it.each<[string, unknown, object]>([
    ['a string', { code: '40000', message: 'Error occurred' }, { code: '40000', message: 'Error occurred' }],
    ['a number', { code: 40_000, message: ' Error ' }, { code: '40000', message: 'Error' }],
    ['missing', {}, { code: '', message: '' }],
    ['of another type', { code: {}, message: [] }, { code: '', message: '' }],
  ])('the error of a seller is read when its code is %s', (_, error, read) => {
    expect(readSellerError({ context: {}, error })).toEqual(read);
    expect(readSellerError({ context: {}, message: null, error })).toEqual(read);
  });

  it.each<[string, unknown]>([
    ['has a catalog', { message: { catalog: {} }, error: { code: '1' } }],
    ['has catalogs', { message: { catalogs: [] }, error: {} }],
    ['has no error', { context: {} }],
    ['has an error that is not an object', { error: 'Error occurred' }],
    ['is null', null],
  ])('the error of a seller is not read from a callback that %s', (_, callback) => {
    expect(readSellerError(callback)).toBeUndefined();
  });
});

describe('the errors of several sellers', () => {
  it('reads the sellers of the error of a leg, with the error as an object or as fields', () => {
    const sellers = [
      { bpp_id: 'a.example', code: '40000', message: 'Closed' },
      { bpp_id: 'b.example', error: { code: 30_001, message: null } },
      'odd',
      {},
    ];
    expect(readSellerErrors({ kind: 'bap_unreachable', sellers })).toEqual([
      { sellerId: 'a.example', code: '40000', message: 'Closed' },
      { sellerId: 'b.example', code: '30001', message: '' },
      { sellerId: '', code: '', message: '' },
    ]);
  });

  it.each([undefined, null, 'text', {}, { sellers: null }, { sellers: 'x' }])('reads none from %j', (error) => {
    expect(readSellerErrors(error)).toEqual([]);
  });
});
