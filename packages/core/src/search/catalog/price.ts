import { at, field, labelAt, labelOf, objectsAt } from './fields.ts';
import type { Price } from './offer.ts';

/**
 * Reads the price of an item (Beckn 1.1, `schema/Price.yaml`) or of an offer (Beckn 2.0, `PriceSpecification`; in its
 * release the price is in `considerations[].considerationAttributes`). Returns undefined when no amount is given.
 */
export const readPrice = (priced: unknown): Price | undefined => {
  const price = at(priced, field.price);
  if (price !== undefined) return priceOf(price);
  for (const consideration of objectsAt(priced, field.considerations)) {
    const found = priceOf(at(consideration, field.considerationAttributes));
    if (found) return found;
  }
  return undefined;
};

const amounts = [
  'value',
  'estimatedValue',
  'minimumValue',
  'maximumValue',
  'listedValue',
  'offeredValue',
] as const satisfies readonly (keyof Price)[];

const priceOf = (price: unknown): Price | undefined => {
  const given: { -readonly [Key in keyof Price]: Price[Key] } = { currency: labelAt(price, field.currency) ?? '' };
  let isGiven = false;
  for (const amount of amounts) {
    const value = labelOf(at(price, field[amount]));
    if (value === undefined) continue;
    given[amount] = value;
    isGiven = true;
  }
  if (!isGiven) return undefined;
  const unit = unitOf(price);
  if (unit !== undefined) given.unit = unit;
  return given;
};

/** "kWh", or "10 minutes" for a price per ten minutes. */
const unitOf = (price: unknown): string | undefined => {
  const quantity = at(price, field.applicableQuantity);
  const unit = labelAt(quantity, field.unit) ?? labelAt(price, field.unit);
  const count = labelAt(quantity, field.unitQuantity) ?? '1';
  return unit === undefined || count === '1' ? unit : `${count} ${unit}`;
};

/**
 * Describes a price: "INR 90", "about INR 90", "INR 90 to INR 120", "INR 90 (listed INR 120)", "INR 15 per kWh".
 * `format` formats one amount in the currency of the price.
 */
export const describePrice = (price: Price, format: (amount: string) => string): string => {
  const { minimumValue, maximumValue, estimatedValue, listedValue, unit } = price;
  const actual = price.offeredValue ?? price.value;
  const listed = listedValue === undefined || listedValue === actual ? '' : `listed ${format(listedValue)}`;
  const main =
    actual === undefined
      ? rangeOf(minimumValue, maximumValue, format) ||
        (estimatedValue === undefined ? '' : `about ${format(estimatedValue)}`)
      : format(actual);
  const shown = main && listed ? `${main} (${listed})` : main || listed.replace('listed ', '');
  return unit === undefined ? shown : `${shown} per ${unit}`;
};

const rangeOf = (minimum: string | undefined, maximum: string | undefined, format: (amount: string) => string) => {
  if (minimum === undefined) return maximum === undefined ? '' : `up to ${format(maximum)}`;
  if (maximum === undefined) return `from ${format(minimum)}`;
  return minimum === maximum ? format(minimum) : `${format(minimum)} to ${format(maximum)}`;
};

/** Returns the amount to compare with other prices of the same currency: what a buyer pays, or at least pays. */
export const comparableAmount = (price: Price): number | undefined => {
  const { offeredValue, value, minimumValue, estimatedValue, listedValue, maximumValue } = price;
  const amount = offeredValue ?? value ?? minimumValue ?? estimatedValue ?? listedValue ?? maximumValue;
  return amount?.match(/^[+-]?(?:\d+\.?\d*|\.\d+)$/) ? Number(amount) : undefined;
};
