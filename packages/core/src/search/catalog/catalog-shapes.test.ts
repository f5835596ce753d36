import { describe, expect, it } from 'vitest';
import { readOffers } from '../catalog.ts';

describe('a catalog of Beckn 1.1', () => {
  const clinic = {
    id: 'CLINIC-7',
    descriptor: { name: 'Lakeside Dental &amp; Eye Care' },
    rating: '4.1',
    categories: [
      { id: 'C-DENT', descriptor: { name: 'Dental' } },
      { id: 'C-EYE', descriptor: { code: 'EYE_CARE' } },
    ],
    locations: [
      { id: 'L-1', gps: '12.9716, 77.5946', city: { name: 'Bengaluru', code: 'std:080' } },
      { id: 'L-2', address: '4 Temple Road', distance: { value: '1800', unit: 'm' } },
      { id: 'L-3', descriptor: { name: 'Airport branch' }, distance: { value: 12, unit: 'km' } },
    ],
  };
  const read = (item: object) =>
    readOffers({
      context: { bpp_id: 'bpp.lakeside.example' },
      message: { catalog: { providers: [{ ...clinic, items: [{ id: 'I-1', ...item }] }] } },
    })[0];

  it('resolves categories and locations by id, with the nearest distance', () => {
    expect(
      read({
        descriptor: {
          name: 'Check-up',
          images: [
            { url: 'https://img.lakeside.example/1.png' },
            { url: 'javascript://img.lakeside.example/%0aalert(1)' },
            'HSPA image',
          ],
        },
        category_ids: ['C-DENT', 'C-EYE', 'Other'],
        location_ids: ['L-3', 'L-2', 'L-9'],
        rating: 4.8,
        price: { currency: 'INR', value: '500' },
      }),
    ).toEqual({
      providerId: 'CLINIC-7',
      providerName: 'Lakeside Dental & Eye Care',
      itemId: 'I-1',
      name: 'Check-up',
      images: ['https://img.lakeside.example/1.png'],
      categories: ['Dental', 'EYE_CARE', 'Other'],
      locations: [{ name: 'Airport branch' }, { address: '4 Temple Road' }],
      distanceKm: 1.8,
      rating: { value: 4.8 },
      price: { currency: 'INR', value: '500' },
      sellerId: 'bpp.lakeside.example',
    });
  });

  it('gives an item without locations and rating those of its provider', () => {
    expect(read({})).toMatchObject({
      locations: [
        { city: 'Bengaluru', gps: '12.9716,77.5946' },
        { address: '4 Temple Road' },
        { name: 'Airport branch' },
      ],
      distanceKm: 1.8,
      rating: { value: 4.1 },
    });
  });

  it('gives an item with unreadable location ids all places of its provider', () => {
    expect(read({ location_ids: [null, {}, ''] })).toEqual(read({}));
  });

  it.each([
    ['L-2', { locations: [{ address: '4 Temple Road' }], distanceKm: 1.8 }],
    ['L-1', { locations: [{ city: 'Bengaluru', gps: '12.9716,77.5946' }] }],
    ['L-9', {}],
  ])('gives an item at %s only that place', (location_id, place) => {
    const offer = read({ location_id });
    const withoutPlace = read({ location_id: 'L-9' });
    expect(offer).toStrictEqual({ ...withoutPlace, ...place });
    expect(withoutPlace).not.toHaveProperty('locations');
    expect(withoutPlace).not.toHaveProperty('distanceKm');
  });

  it('measures the distance to a place that has nothing to show', () => {
    const locations = [{ distance: '3 km' }, { city: 'Pune' }];
    const body = { message: { catalog: { providers: [{ id: 'P', locations, items: [{ id: 'I' }] }] } } };
    expect(readOffers(body)).toMatchObject([{ distanceKm: 3, locations: [{ city: 'Pune' }] }]);
  });

  it('assigns categories and places without an id to no item', () => {
    const items = [{ id: 'I', category_ids: [null, {}, 'C-2', 'C-3'], location_ids: ['', 'L-1', 'L-9'] }];
    const categories = [{ descriptor: { name: 'Without an id' } }, { id: 'C-2' }, { id: 'C-3', descriptor: 'odd' }];
    const locations = [{ city: 'Somewhere' }, { id: 'L-1', city: 'Pune' }];
    const body = { message: { catalog: { providers: [{ id: 'P', categories, locations, items }] } } };
    expect(readOffers(body)).toMatchObject([{ categories: ['C-2', 'C-3'], locations: [{ city: 'Pune' }] }]);
  });

  it('omits a category whose id looks blank', () => {
    expect(read({ category_ids: ['&nbsp;'] })).not.toHaveProperty('categories');
  });

  it.each<[object, object]>([
    [
      { start: '2026-11-23T09:00:00Z', end: '2026-11-23T12:00:00Z' },
      { from: '2026-11-23T09:00:00Z', until: '2026-11-23T12:00:00Z' },
    ],
    [{ start: '2026-11-23T09:00:00Z' }, { from: '2026-11-23T09:00:00Z' }],
    [{ end: '2026-11-23T12:00:00Z' }, { until: '2026-11-23T12:00:00Z' }],
  ])('reads from %j when an item is available', (range, availability) => {
    expect(read({ time: { range } })?.availability).toStrictEqual(availability);
  });

  it.each<[unknown, readonly string[] | undefined]>([
    ['http://img.example/1.png', ['http://img.example/1.png']],
    [' HTTPS://img.example/1.png ', ['HTTPS://img.example/1.png']],
    [
      ['https://img.example/1', { url: 'https://img.example/2' }, 'https://img.example/1'],
      ['https://img.example/1', 'https://img.example/2'],
    ],
    ['url(https://img.example/1.png)', undefined],
    ['https://img.example/1 2.png', undefined],
    ['https://img.example/"onload="alert(1)', undefined],
    ['//img.example/1.png', undefined],
    [7, undefined],
    [{ alt: 'A plan' }, undefined],
  ])('reads the images %j as http and https URLs without duplicates', (images, urls) => {
    expect(read({ descriptor: { images } })?.images).toEqual(urls);
  });
});

const readOndcItem = (item: object) =>
  readOffers({
    context: { core_version: '1.2.0', bpp_id: 'seller.example' },
    message: {
      catalog: {
        'bpp/descriptor': { name: 'Seller platform' },
        'bpp/providers': [{ items: [{ id: 'I-1', descriptor: { name: 'Oximeter' }, ...item }] }],
      },
    },
  })[0];

describe('a catalog of ONDC retail', () => {
  it('reads how many items are available', () => {
    expect(readOndcItem({ quantity: { available: { count: '99' } } })?.availability).toStrictEqual({
      count: 99,
      isInStock: true,
    });
    expect(readOndcItem({ quantity: { available: { count: 0 } } })?.availability).toEqual({
      count: 0,
      isInStock: false,
    });
    expect(readOndcItem({ time: { label: 'disable', timestamp: '2026-01-01T00:00:00Z' } })?.availability).toStrictEqual(
      {
        isInStock: false,
      },
    );
    expect(readOndcItem({ quantity: { available: { count: 'many' } }, time: { label: 'enable' } })).not.toHaveProperty(
      'availability',
    );
  });

  it('reads a category that is a name, and the symbol as an image', () => {
    expect(
      readOndcItem({
        category_id: 'Health & Wellness',
        descriptor: { name: 'A', symbol: 'https://img.example/a.png' },
      }),
    ).toMatchObject({ categories: ['Health & Wellness'], images: ['https://img.example/a.png'] });
  });

  it.each([
    [2048, true],
    [2049, false],
  ])('reads a URL of %i characters whole or not at all', (length, isRead) => {
    const url = 'https://img.example/'.padEnd(length, 'a');
    const items = [{ id: 'i', descriptor: { images: [url] } }];
    const [offer] = readOffers({ message: { catalog: { providers: [{ id: 'P', items }] } } });
    expect(offer?.images).toEqual(isRead ? [url] : undefined);
  });

  it('resolves a category of the platform', () => {
    const providers = [{ id: 'P', items: [{ id: 'I', category_id: 'C-1' }] }];
    const categories = [{ id: 'C-1', descriptor: { name: 'Devices' } }];
    const catalog = { 'bpp/providers': providers, 'bpp/categories': categories };
    expect(readOffers({ message: { catalog } })).toMatchObject([{ categories: ['Devices'] }]);
  });

  it.each<[unknown, object]>([
    [4.5, { value: 4.5 }],
    ['4', { value: 4 }],
    [
      { value: '4.1', ratingCount: '12' },
      { value: 4.1, count: 12 },
    ],
  ])('reads the rating %j', (rating, read) => {
    expect(readOndcItem({ rating })?.rating).toStrictEqual(read);
  });

  it('names the platform when the provider has no name and no id', () => {
    expect(readOndcItem({})).toMatchObject({
      providerId: '',
      providerName: 'Seller platform',
      sellerId: 'seller.example',
    });
  });
});

const time = (timestamp: string) => ({ time: { timestamp } });

describe('a catalog of UHI', () => {
  it('reads items without a provider, and names the doctor as the seller', () => {
    const body = {
      context: { core_version: '0.7.1', provider_id: 'hspa.example', bpp_id: null },
      message: {
        catalog: {
          descriptor: { name: 'A hospital platform', code: null },
          providers: null,
          items: [
            {
              id: '0',
              descriptor: { name: 'Consultation' },
              price: { currency: 'INR', value: '500.0' },
              fulfillment_id: 'f-0',
            },
            { id: '1', descriptor: { name: null, code: 'LAB_REPORT' }, fulfillment_id: 'f-9' },
          ],
          fulfillments: [
            {
              id: 'f-0',
              type: 'Teleconsultation',
              agent: { id: 'sample@hpr.example', name: 'Dr. Sample' },
              start: time('2026-11-23T09:00:00+05:30'),
              end: time('2026-11-23T09:15:00+05:30'),
            },
          ],
        },
      },
    };
    expect(readOffers(body)).toEqual([
      {
        providerId: 'sample@hpr.example',
        providerName: 'Dr. Sample',
        itemId: '0',
        name: 'Consultation',
        availability: { from: '2026-11-23T09:00:00+05:30', until: '2026-11-23T09:15:00+05:30' },
        sellerId: 'hspa.example',
        price: { currency: 'INR', value: '500.0' },
      },
      {
        providerId: '',
        providerName: 'A hospital platform',
        itemId: '1',
        name: 'LAB_REPORT',
        sellerId: 'hspa.example',
      },
    ]);
  });
});

const uhiOffer = (item: object, catalog: object) =>
  readOffers({
    message: { catalog: { descriptor: { name: 'Platform' }, items: [{ id: '0', ...item }], ...catalog } },
  })[0];

describe('an item of UHI', () => {
  const agent = { id: 'sample@hpr.example', name: 'Dr. Sample' };

  it('has its own provider, although its fulfillment has an agent', () => {
    const fulfillments = [{ id: 'f', agent }];
    expect(uhiOffer({ provider: { id: 'P' }, fulfillment_id: 'f' }, { fulfillments })).toMatchObject({
      providerId: 'P',
      providerName: 'P',
    });
  });

  it('names an agent without an id', () => {
    const fulfillments = [{ id: 'f', agent: { name: 'Dr. Sample' } }];
    expect(uhiOffer({ fulfillment_id: 'f' }, { fulfillments })).toMatchObject({
      providerId: '',
      providerName: 'Dr. Sample',
    });
  });

  it.each([
    ['an agent without a name and an id', { id: 'f', agent: {} }, { fulfillment_id: 'f' }],
    ['a fulfillment without an id, to which no item can refer', { agent, start: time('2026-11-23') }, {}],
  ])('has the platform as its provider when the catalog has %s', (_, fulfillment, item) => {
    expect(uhiOffer(item, { fulfillments: [fulfillment] })).toStrictEqual({
      providerId: '',
      providerName: 'Platform',
      itemId: '0',
      name: '0',
    });
  });
});

describe('a catalog of Beckn 2.0', () => {
  const jsonLd = {
    context: { version: '2.0.0', action: 'on_discover', bpp_id: 'catalogs.example' },
    message: {
      catalogs: [
        {
          '@type': 'beckn:Catalog',
          'beckn:bppId': 'bpp.wellness.example',
          'beckn:descriptor': { '@type': 'beckn:Descriptor', 'schema:name': 'Wellness catalog' },
          'beckn:items': [
            {
              '@type': 'beckn:Item',
              'beckn:id': 'yoga-10',
              'beckn:descriptor': {
                'schema:name': 'Yoga course',
                'beckn:shortDesc': 'Ten evenings',
                'schema:image': ['https://img.wellness.example/yoga.jpg'],
              },
              'beckn:category': { 'schema:codeValue': 'yoga', 'schema:name': 'Yoga' },
              'beckn:provider': { 'beckn:id': 'studio-1', 'beckn:descriptor': { 'schema:name': 'Studio One' } },
              'beckn:rating': { 'beckn:ratingValue': 4.7, 'beckn:ratingCount': 89 },
              'beckn:isActive': true,
              'beckn:availabilityWindow': [
                { 'schema:startTime': '2026-12-01T18:00:00Z', 'schema:endTime': '2026-12-01T19:00:00Z' },
              ],
              'beckn:availableAt': [
                {
                  geo: { type: 'Point', coordinates: [77.5946, 12.9716] },
                  address: { streetAddress: '1 Lake Road', addressLocality: 'Bengaluru' },
                },
              ],
            },
            { 'beckn:id': 'mat', 'beckn:descriptor': { 'schema:name': 'Mat' }, 'beckn:isActive': false },
          ],
          'beckn:offers': [
            {
              'beckn:id': 'per-evening',
              'beckn:descriptor': { 'schema:name': 'Per evening' },
              'beckn:items': ['yoga-10', 'yoga-10'],
              'beckn:price': {
                currency: 'INR',
                value: 300,
                applicableQuantity: { unitText: 'evening', unitQuantity: 1 },
              },
            },
            {
              'beckn:id': 'all',
              'beckn:items': ['yoga-10'],
              'beckn:price': { 'schema:price': 2500, 'schema:priceCurrency': 'INR' },
            },
            { 'beckn:id': 'free', 'beckn:items': ['mat'] },
          ],
        },
      ],
    },
  };

  it('reads JSON-LD, with one offer per price', () => {
    const yoga = {
      providerId: 'studio-1',
      providerName: 'Studio One',
      itemId: 'yoga-10',
      name: 'Yoga course',
      description: 'Ten evenings',
      images: ['https://img.wellness.example/yoga.jpg'],
      categories: ['Yoga'],
      locations: [{ city: 'Bengaluru', gps: '12.9716,77.5946' }],
      rating: { value: 4.7, count: 89 },
      availability: { from: '2026-12-01T18:00:00Z', until: '2026-12-01T19:00:00Z' },
      sellerId: 'bpp.wellness.example',
    };
    expect(readOffers(jsonLd)).toStrictEqual([
      { ...yoga, terms: 'Per evening', price: { currency: 'INR', value: '300', unit: 'evening' } },
      { ...yoga, price: { currency: 'INR', value: '2500' } },
      {
        providerId: '',
        providerName: 'Wellness catalog',
        itemId: 'mat',
        name: 'Mat',
        availability: { isInStock: false },
        sellerId: 'bpp.wellness.example',
      },
    ]);
  });

  it('reads the same catalog without prefixes', () => {
    const plain: unknown = JSON.parse(JSON.stringify(jsonLd).replaceAll(/"(?:beckn|schema):(\w+)":/g, '"$1":'));
    expect(JSON.stringify(plain)).not.toContain('beckn:id');
    expect(readOffers(plain)).toEqual(readOffers(jsonLd));
  });

  it('reads resources, the provider of a catalog, and prices in considerations', () => {
    const body = {
      context: { version: '2.0.0', action: 'on_discover', bppId: 'bpp.example' },
      message: {
        catalogs: [
          {
            provider: {
              id: 'insurer',
              descriptor: { name: 'A mutual insurer' },
              availableAt: [{ geo: { type: 'Point', coordinates: [8.54, 47.37] } }],
            },
            resources: [{ id: 'plan', descriptor: { name: 'Dental plan', shortDesc: 'Teeth' } }],
            offers: [
              {
                id: 'monthly',
                descriptor: { name: 'Monthly' },
                resourceIds: ['plan'],
                considerations: [
                  { status: { code: 'ACTIVE' } },
                  { considerationAttributes: { '@type': 'PriceSpecification', currency: 'CHF', value: 12 } },
                ],
              },
            ],
          },
          {
            providers: [{ id: 'p-1', descriptor: { name: 'By reference' } }],
            resources: [{ id: 'r', provider: 'p-1' }],
          },
          { providerId: 'only-an-id', items: [{ id: 'i', offers: [{ price: { currency: 'INR', value: 20 } }] }] },
        ],
      },
    };
    expect(readOffers(body)).toEqual([
      {
        providerId: 'insurer',
        providerName: 'A mutual insurer',
        itemId: 'plan',
        name: 'Dental plan',
        description: 'Teeth',
        locations: [{ gps: '47.37,8.54' }],
        terms: 'Monthly',
        price: { currency: 'CHF', value: '12' },
        sellerId: 'bpp.example',
      },
      { providerId: 'p-1', providerName: 'By reference', itemId: 'r', name: 'r', sellerId: 'bpp.example' },
      {
        providerId: 'only-an-id',
        providerName: 'only-an-id',
        itemId: 'i',
        name: 'i',
        price: { currency: 'INR', value: '20' },
        sellerId: 'bpp.example',
      },
    ]);
  });

  it('reads a provider in an item as another one than a provider of the catalog without an id', () => {
    const providers = [{ descriptor: { name: 'Without an id' } }];
    const items = [{ id: 'i', provider: { descriptor: { name: 'Of the item' } } }];
    expect(readOffers({ message: { catalogs: [{ providers, items }] } })).toMatchObject([
      { providerName: 'Of the item' },
    ]);
  });
});

const aProvider = (id: string) => ({ id, descriptor: { name: id } });
const offerOfX = (id: string, provider?: unknown) => ({ id, items: ['x'], price: { value: id }, provider });
const pricesIn = (...catalogs: readonly unknown[]) =>
  readOffers({ message: { catalogs } }).map(({ providerId, price }) => `${providerId} ${price?.value ?? 'none'}`);

describe('offers of several providers for one item id', () => {
  const [a, b] = ['clinic-a', 'clinic-b'].map((id) => ({ id: 'x', provider: aProvider(id) }));

  it('shows an offer under the provider that it names, and under no other', () => {
    const offers = [offerOfX('900', 'clinic-b'), offerOfX('100', aProvider('clinic-a')), offerOfX('7', 'clinic-c')];
    expect(pricesIn({ items: [a, b], offers })).toEqual(['clinic-a 100', 'clinic-b 900']);
  });

  it('shows an offer inside a provider under that provider, whatever it names', () => {
    const providers = [{ ...aProvider('clinic-a'), items: [{ id: 'x' }], offers: [offerOfX('9', 'branch')] }];
    expect(pricesIn({ providers })).toEqual(['clinic-a 9']);
  });

  it('shows an offer of the facility under an item that only an agent provides', () => {
    const fulfillments = [{ id: 'f', agent: { id: 'dr', name: 'Dr. Sample' } }];
    const items = [{ id: 'x', fulfillment_id: 'f' }];
    expect(pricesIn({ fulfillments, items, offers: [offerOfX('9', 'hospital')] })).toEqual(['dr 9']);
  });

  it('shows an offer that names no provider under the first item with its id', () => {
    const offers = [offerOfX('5'), offerOfX('900', 'clinic-b'), offerOfX('100', 'clinic-a')];
    expect(pricesIn({ items: [a, b], offers })).toEqual(['clinic-a 5', 'clinic-a 100', 'clinic-b 900']);
  });

  it('shows every offer that is left under an item whose provider is not known', () => {
    const offers = [offerOfX('900', 'clinic-b'), offerOfX('100', 'clinic-a'), offerOfX('5')];
    expect(pricesIn({ items: [b, { id: 'x' }], offers })).toEqual(['clinic-b 5', 'clinic-b 900', ' 100']);
  });
});

const from = (seller: string, ...items: string[]) => ({
  context: { bpp_id: seller },
  message: { catalog: { providers: [{ id: 'P', items: items.map((id) => ({ id })) }] } },
});

const planWithTerms = (id: string) => ({
  items: [{ id: 'plan' }, { id: 'plan' }],
  offers: [{ id, resourceIds: ['plan'], price: { value: 5 } }],
});

describe('a result with the callbacks of several sellers', () => {
  it('reads the offers of each seller, with the leg', () => {
    const responses = [from('b', '1', '2'), null, 'x', from('a', '1'), from('b', '2', '3')];
    const offers = readOffers({ responses }, { id: 'mh', label: 'Health market' });
    expect(offers.map(({ sellerId, itemId }) => `${sellerId}${itemId}`)).toEqual(['b1', 'b2', 'a1', 'b3']);
    expect(new Set(offers.map(({ legId, network }) => `${legId} ${network}`))).toEqual(new Set(['mh Health market']));
  });

  it('keeps the offers of a seller that another one names as its own', () => {
    const { message } = from('b', '1');
    const responses = [
      { context: { bpp_id: 'a' }, message: { catalog: { ...message.catalog, bpp_id: 'b' } } },
      from('b', '1', '2'),
    ];
    expect(readOffers({ responses }).map(({ itemId }) => itemId)).toEqual(['1', '1', '2']);
  });

  it('keeps offers of one item in two catalogs, and skips an item that is repeated', () => {
    const offers = readOffers({
      message: { catalogs: [planWithTerms('monthly'), planWithTerms('yearly'), planWithTerms('yearly')] },
    });
    expect(offers.map(({ itemId, price }) => [itemId, price?.value])).toEqual([
      ['plan', '5'],
      ['plan', '5'],
    ]);
  });

  it('reads a callback that also has a list of responses as one callback', () => {
    expect(readOffers({ ...from('a', '1'), responses: [from('b', '2')] })).toMatchObject([{ sellerId: 'a' }]);
  });
});

describe('a hostile catalog', () => {
  const many = 5000;
  const repeated = <T>(value: T): readonly T[] => Array.from({ length: many }, () => value);

  it('uses each price once when many items have the same id', () => {
    const items = Array.from({ length: many }, (_, index) => ({ id: 'a', provider: `p${index}` }));
    const offers = Array.from({ length: many }, (_, index) => ({ id: index, items: ['a'], price: { value: index } }));
    const read = readOffers({ message: { catalogs: [{ items, offers }] } });
    expect(read.filter(({ price }) => price)).toHaveLength(many);
    expect(read).toHaveLength(2 * many - 1);
  });

  it('uses each price once when many items and offers of many providers have the same id', () => {
    const items = Array.from({ length: many }, (_, index) => ({ id: 'a', provider: `p${index}` }));
    const offers = items.map(({ provider }, index) => ({ id: index, provider, items: ['a'], price: { value: index } }));
    const unknown = [{ id: 'a' }, { id: 'a' }];
    const read = (...all: readonly unknown[]) => readOffers({ message: { catalogs: [{ items: all, offers }] } });
    expect(read(...items, ...unknown).filter(({ price }) => price)).toHaveLength(many);
    expect(read(...unknown, ...items).filter(({ price }) => price)).toHaveLength(many);
  });

  it('reads at most twenty references of an item', () => {
    const locations = Array.from({ length: many }, (_, id) => ({ id, city: `City ${id}` }));
    const images = Array.from({ length: many }, (_, id) => `https://img.example/${id}`);
    const items = [
      { id: 1, location_ids: repeated(3), category_ids: repeated('c'), descriptor: { images } },
      { id: 2 },
    ];
    const [one, two] = readOffers({ message: { catalog: { providers: [{ id: 'P', locations, items }] } } });
    for (const list of [one?.locations, one?.categories, one?.images, two?.locations]) expect(list).toHaveLength(20);
  });

  it('shares a place between the items that refer to it', () => {
    const items = Array.from({ length: many }, (_, id) => ({ id, location_ids: ['L'] }));
    const locations = [{ id: 'L', city: 'A' }, { id: 'M' }];
    const offers = readOffers({ message: { catalog: { providers: [{ id: 'P', locations, items }] } } });
    expect(new Set(offers.map((offer) => offer.locations)).size).toBe(1);
  });

  it('shares the locations of a provider between its items', () => {
    const items = Array.from({ length: many }, (_, id) => ({ id }));
    const offers = readOffers({
      message: { catalog: { providers: [{ id: 'P', locations: [{ city: 'A' }], items }] } },
    });
    expect(new Set(offers.map(({ locations }) => locations)).size).toBe(1);
  });

  it('shortens ids and texts, so that many items can share them', () => {
    const long = `x${'é😀&amp;'.repeat(many)}`;
    const provider = { id: long, descriptor: { name: long }, categories: [{ id: 'c', descriptor: { code: long } }] };
    const item = { id: 1, descriptor: { name: ` ${long}`, long_desc: long }, category_id: 'c', price: { value: long } };
    const body = { context: { bpp_id: long }, message: { catalog: { providers: [{ ...provider, items: [item] }] } } };
    const [offer] = readOffers(body);
    for (const text of [offer?.name, offer?.providerName, offer?.categories?.[0], offer?.price?.value])
      expect(text).toMatch(/^x(?:é😀&){49}é…$/);
    expect(offer?.description?.length).toBeLessThanOrEqual(1000);
    expect([offer?.providerId, offer?.sellerId].map((id) => id?.length)).toEqual([1000, 1000]);
  });

  it('reads a deeply nested value', () => {
    let nested: unknown = {};
    for (let depth = 0; depth < many; depth++) nested = { responses: [nested], message: { catalogs: [nested] } };
    expect(readOffers(nested)).toEqual([]);
  });
});
