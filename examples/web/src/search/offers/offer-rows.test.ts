/* oxlint-disable react/no-children-prop -- children are required, and tests are not JSX */
import type { Offer } from '@portico/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Language } from '../../texts/language.ts';
import { loadPageTexts, loadTexts, WordingProvider } from '../../texts/texts.tsx';
import { OfferRows } from './offer-rows.tsx';

vi.stubGlobal('navigator', { languages: ['en-US'], onLine: true });

beforeAll(() => Promise.all([loadPageTexts('en'), loadPageTexts('de')]));

const rows = async (offer: Offer, language: Language = 'en') => {
  const texts = await loadTexts(language);
  const children = createElement(OfferRows, { offers: [offer] });
  return renderToStaticMarkup(createElement(WordingProvider, { language, texts, children }));
};

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
  it('shows its seller, network and price, and its texts as text', async () => {
    const shown = await rows(offer);
    expect(shown).toContain('<strong>Oximeter &lt;img src=x&gt;</strong>');
    expect(shown).toContain('Lake Pharmacy · Health market');
    expect(shown).toContain('<strong>₹1,200.00</strong><span class="fine">Listed at ₹1,500.50</span>');
  });

  it('loads no image', async () => {
    expect(await rows(offer)).not.toMatch(/<img|tracker/);
  });

  it('shows what else is known', async () => {
    const known = {
      ...offer,
      terms: 'Monthly',
      description: 'Measures oxygen',
      categories: ['Devices', 'Health'],
      locations: [{ city: 'Pune' }, { city: 'Goa' }],
      distanceKm: 1.26,
      rating: { value: 4.5, count: 12 },
      availability: { isInStock: false },
    };
    const shown = (await rows(known)).replaceAll(/<[^>]+>/g, '|');
    expect(shown).toContain('Monthly · Measures oxygen · Devices, Health');
    expect(shown).toContain('Pune, 1.3 km');
    expect(shown).toContain('Rating 4.5 (12)');
    expect(shown).toContain('Not available');
    expect(await rows(known, 'de')).toContain('Pune, 1,3 km');
  });

  it('shows that no price is given', async () => {
    expect(await rows({ providerId: '', providerName: '', itemId: '', name: 'A' })).toContain('No price given');
  });
});
