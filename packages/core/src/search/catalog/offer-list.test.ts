import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterOffers, offerOrders, sortOffers } from './offer-list.ts';
import type { Offer } from './offer.ts';

const offer = (name: string, differences: Partial<Offer> = {}): Offer => ({
  providerId: 'P',
  providerName: 'Provider',
  itemId: name,
  name,
  ...differences,
});

const costing = (name: string, currency: string, value: string) => offer(name, { price: { currency, value } });

const namesOf = (offers: readonly Offer[]) => offers.map(({ name }) => name);

describe('sorting offers', () => {
  it('sorts names as a dictionary does', () => {
    expect(
      namesOf(
        sortOffers(
          ['b', 'Plan 10', 'plan 9', 'Éclair', 'a', 'B'].map((name) => offer(name)),
          'name',
        ),
      ),
    ).toEqual(['a', 'b', 'B', 'Éclair', 'plan 9', 'Plan 10']);
  });

  it('compares prices within one currency, and puts offers without a price last', () => {
    const offers = [
      offer('free of price'),
      costing('b', 'INR', '1000'),
      costing('c', 'EUR', '5'),
      costing('d', 'INR', '90'),
      costing('odd', 'INR', 'on request'),
      costing('e', 'EUR', '4.50'),
      costing('same as d', 'INR', '90.0'),
    ];
    expect(namesOf(sortOffers(offers, 'price'))).toEqual(['d', 'same as d', 'b', 'e', 'c', 'free of price', 'odd']);
  });

  it('puts the nearest first, and the best rating first', () => {
    const offers = [
      offer('unknown'),
      offer('far', { distanceKm: 12, rating: { value: 4.8 } }),
      offer('near', { distanceKm: 0, rating: { value: 0 } }),
      offer('middle', { distanceKm: 3, rating: { value: 4.9 } }),
    ];
    expect(namesOf(sortOffers(offers, 'distance'))).toEqual(['near', 'middle', 'far', 'unknown']);
    expect(namesOf(sortOffers(offers, 'rating'))).toEqual(['middle', 'far', 'near', 'unknown']);
  });

  it('keeps all offers, and the order of equal ones, whatever is compared', () => {
    const anyOffer: fc.Arbitrary<Offer> = fc.record(
      {
        providerId: fc.constant('P'),
        providerName: fc.constant('P'),
        itemId: fc.constant('I'),
        name: fc.constantFrom('a', 'A', 'b'),
        price: fc.record({ currency: fc.constantFrom('', 'INR', 'EUR'), value: fc.constantFrom('1', '2.0', '2', 'x') }),
        distanceKm: fc.constantFrom(0, 1, 2),
        rating: fc.record({ value: fc.constantFrom(0, 4, 5) }),
      },
      { requiredKeys: ['providerId', 'providerName', 'itemId', 'name'] },
    );
    fc.assert(
      fc.property(fc.array(anyOffer, { maxLength: 12 }), fc.constantFrom(...offerOrders), (offers, order) => {
        const sorted = sortOffers(offers, order);
        expect(new Set(sorted)).toEqual(new Set(offers));
        expect(sorted).toHaveLength(offers.length);
        expect(sortOffers(sorted, order)).toEqual(sorted);
        const same = offers.filter(
          (one) => one.name === 'a' && !one.price && !one.rating && one.distanceKm === undefined,
        );
        expect(sorted.filter((one) => same.includes(one))).toEqual(same);
      }),
    );
  });
});

describe('filtering offers', () => {
  const offers = [
    offer('Dental cover', { legId: 'moa', network: 'Welfare schemes', categories: ['Health', 'Teeth'] }),
    offer('Oximeter', { legId: 'mh', providerName: 'Lake Pharmacy', locations: [{ city: 'Pune' }, { city: 'Goa' }] }),
    offer('Course', { legId: 'x', description: 'Ten evenings', terms: 'Monthly' }),
  ];

  it.each([
    ['', ['Dental cover', 'Oximeter', 'Course']],
    ['  ', ['Dental cover', 'Oximeter', 'Course']],
    ['DENTAL', ['Dental cover']],
    ['cover health', ['Dental cover']],
    ['cover pune', []],
    ['pune pharm', ['Oximeter']],
    ['welfare', ['Dental cover']],
    ['evenings monthly', ['Course']],
    [' pune\n goa\t', ['Oximeter']],
    ['lake pharmacy', ['Oximeter']],
    ['oximeterlake', []],
    ['punegoa', []],
    ['healthteeth', []],
    ['revoc', []],
    ['.*', []],
  ])('keeps the offers in which every word of %j occurs', (text, names) => {
    expect(namesOf(filterOffers(offers, { text }))).toEqual(names);
  });

  it('reads locations that many offers share once', () => {
    let reads = 0;
    const place = {
      get city() {
        reads += 1;
        return 'Pune';
      },
    };
    const locations = [place];
    const sharing = Array.from({ length: 100 }, (_, index) => offer(`${index}`, { locations }));
    expect(filterOffers(sharing, { text: 'pune' })).toHaveLength(100);
    expect(filterOffers(sharing, { text: 'goa' })).toEqual([]);
    expect(reads).toBe(2);
  });

  it('keeps the offers of the given legs', () => {
    expect(namesOf(filterOffers(offers, { legs: ['mh', 'x'] }))).toEqual(['Oximeter', 'Course']);
    expect(namesOf(filterOffers(offers, { legs: ['mh', 'x'], text: 'course' }))).toEqual(['Course']);
    expect(filterOffers(offers, { legs: [] })).toEqual([]);
    expect(filterOffers([offer('without a leg')], { legs: ['mh'] })).toEqual([]);
  });
});
