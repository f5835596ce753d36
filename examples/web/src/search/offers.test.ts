import type { Offer } from '@portico/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { NetworkResult } from './network-results.ts';
import { keysOf, OfferRows, Offers } from './offers.tsx';

const rows = (...offers: readonly Offer[]) =>
  renderToStaticMarkup(createElement(OfferRows, { offers, empty: 'No offers.' }));

const offer: Offer = {
  providerId: 'P',
  providerName: 'Lake Pharmacy',
  itemId: 'I-1',
  name: 'Oximeter <img src=x>',
  network: 'Health market',
  price: { currency: 'INR', offeredValue: '1200', listedValue: '1500.5' },
  images: ['https://tracker.example/pixel.png'],
};

describe('an offer in the list', () => {
  it('shows its seller, network and price, and its texts as text', () => {
    const shown = rows(offer);
    expect(shown).toContain('<strong>Oximeter &lt;img src=x&gt;</strong>');
    expect(shown).toContain('Lake Pharmacy · Health market');
    expect(shown).toContain('₹1,200.00 (listed ₹1,500.50)');
  });

  it('loads no image', () => {
    expect(rows(offer)).not.toMatch(/<img|tracker/);
  });

  it('shows what else is known', () => {
    const shown = rows({
      ...offer,
      terms: 'Monthly',
      description: 'Measures oxygen',
      categories: ['Devices', 'Health'],
      locations: [{ city: 'Pune' }, { city: 'Goa' }],
      distanceKm: 1.26,
      rating: { value: 4.5, count: 12 },
      availability: { isInStock: false },
    });
    expect(shown).toContain(
      'Not available · Monthly · Measures oxygen · Devices, Health · Pune · 1.3 km · Rating 4.5 (12)',
    );
  });

  it.each([
    [{ currency: '', value: '5' }, '5'],
    [{ currency: 'INR', value: 'on request' }, 'on request INR'],
    [{ currency: 'INR', minimumValue: '5', maximumValue: '7' }, '₹5.00 to ₹7.00'],
  ])('shows the price %j', (price, text) => {
    expect(rows({ ...offer, price })).toContain(`>${text}</span>`);
  });
});

it('gives each of several equal offers its own key, and keeps the keys when the order changes', () => {
  const other = { ...offer, name: 'Mat' };
  const keys = keysOf([offer, other, offer]);
  expect(new Set(keys).size).toBe(3);
  expect(keysOf([other, offer, offer])).toEqual([keys[1], keys[0], keys[2]]);
});

const networkWith = (count: number): NetworkResult => {
  const items = Array.from({ length: count }, (_, id) => ({ id, descriptor: { name: `A &amp; ${id}` } }));
  return { leg: 'mh', label: 'Network', results: [{ message: { catalog: { items } } }] };
};
const shown = (count: number, isPending = false) =>
  renderToStaticMarkup(createElement(Offers, { networks: [networkWith(count)], isPending }));

describe('the list of offers', () => {
  it('shows fifty offers at first', () => {
    expect(shown(50).match(/<li>/g)).toHaveLength(50);
    expect(shown(50)).not.toContain('Show more offers');
    expect(shown(51).match(/<li>/g)).toHaveLength(50);
    expect(shown(51)).toContain('Show more offers');
    expect(shown(51)).toContain('51 of 51 offers');
    expect(shown(51)).toContain('A &amp; 49');
  });

  it('shows whether offers are still expected', () => {
    expect(shown(0, true)).toContain('Waiting for offers …');
    expect(shown(0)).toContain('No offers.');
    expect(shown(0)).not.toContain('<select');
  });
});
