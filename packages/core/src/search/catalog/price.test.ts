import { describe, expect, it } from 'vitest';
import { comparableAmount, describePrice, readPrice } from './price.ts';

const described = (price: object) => {
  const read = readPrice({ price: { currency: 'INR', ...price } });
  return read && describePrice(read, (amount) => `${read.currency} ${amount}`);
};

describe('a price', () => {
  it.each<[object, string | undefined]>([
    [{ value: '90' }, 'INR 90'],
    [{ value: 90.5 }, 'INR 90.5'],
    [{ estimated_value: '5500' }, 'about INR 5500'],
    [{ minimum_value: '40', maximum_value: '55' }, 'INR 40 to INR 55'],
    [{ minimum_value: '40', maximum_value: '40' }, 'INR 40'],
    [{ minimum_value: '40', estimated_value: '50' }, 'from INR 40'],
    [{ maximum_value: '55' }, 'up to INR 55'],
    [{ listed_value: '120', offered_value: '90' }, 'INR 90 (listed INR 120)'],
    [{ listed_value: '120', value: '120' }, 'INR 120'],
    [{ listed_value: '120' }, 'INR 120'],
    [{ value: '100', offered_value: '90', maximum_value: '200' }, 'INR 90'],
    [{ value: '15', unit: 'kg' }, 'INR 15 per kg'],
    [{ value: 2, applicableQuantity: { unitText: 'minutes', unitQuantity: 10 } }, 'INR 2 per 10 minutes'],
    [{ value: 2, applicableQuantity: { unitCode: 'KWH', unitQuantity: 1 } }, 'INR 2 per KWH'],
    [{ value: 2, applicableQuantity: { unitQuantity: 10 } }, 'INR 2'],
    [{ value: '', listed_value: null, unit: 'kg' }, undefined],
    [{ value: {} }, undefined],
  ])('%j is shown as %s', (price, shown) => {
    expect(described(price)).toBe(shown);
  });

  it.each<[object, number | undefined]>([
    [{ value: '100', offered_value: '90' }, 90],
    [{ minimum_value: '40', maximum_value: '55', estimated_value: '50' }, 40],
    [{ estimated_value: '.55' }, 0.55],
    [{ listed_value: '+120.' }, 120],
    [{ maximum_value: '-1' }, -1],
    [{ value: '1,200' }, undefined],
    [{ value: '1e9' }, undefined],
    [{ value: 'free' }, undefined],
  ])('%j is compared as %s', (price, amount) => {
    const read = readPrice({ price });
    expect(read && comparableAmount(read)).toBe(amount);
  });

  it('has no amount to compare when it has a currency only', () => {
    expect(comparableAmount({ currency: 'INR' })).toBeUndefined();
  });

  it('has only the parts that the seller sent', () => {
    expect(readPrice({ price: { value: '90' } })).toStrictEqual({ currency: '', value: '90' });
  });
});
