import { expect, it } from 'vitest';
import { formatFor } from '../../texts/format.ts';
import { priceText } from './offer-price.ts';
import { search as german } from '../search-texts.de.ts';
import { search as english } from '../search-texts.en.ts';

const inEnglish = (price: object) => priceText({ currency: 'INR', ...price }, formatFor('en-US'), english.offers.price);

it.each([
  [{ value: '1200' }, '₹1,200.00'],
  [{ currency: '', value: '5' }, '5'],
  [{ value: 'on request' }, 'on request INR'],
  [{ estimatedValue: '90' }, 'About ₹90.00'],
  [{ minimumValue: '5' }, 'From ₹5.00'],
  [{ maximumValue: '7' }, 'Up to ₹7.00'],
  [{ minimumValue: '5', maximumValue: '7' }, '₹5.00 to ₹7.00'],
  [{ minimumValue: '5', maximumValue: '5' }, '₹5.00'],
  [{ listedValue: '9' }, '₹9.00'],
  [{ value: '15', unit: 'visit' }, '₹15.00 per visit'],
  [{ value: '15', listedValue: '15' }, '₹15.00'],
])('the price %j is shown as %s', (price, main) => {
  expect(inEnglish(price)).toEqual({ main });
});

it('the price before a discount is shown', () => {
  expect(inEnglish({ offeredValue: '1200', listedValue: '1500.5' })).toEqual({
    main: '₹1,200.00',
    listed: 'Listed at ₹1,500.50',
  });
});

it('an offer without an amount shows no price', () => {
  expect(inEnglish({})).toBeUndefined();
});

it('a price in German has German words and formats', () => {
  expect(priceText({ currency: 'EUR', minimumValue: '5' }, formatFor('de-DE'), german.offers.price)?.main).toBe(
    'Ab 5,00\u{A0}€',
  );
});
