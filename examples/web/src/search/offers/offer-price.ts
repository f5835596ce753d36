import type { Price } from '@portico/core';
import type { Texts } from '../../texts/en.ts';
import type { Format } from '../../texts/format.ts';

interface PriceText {
  readonly main: string;
  /** The price before a discount. */
  readonly listed?: string;
}

/** The price in words. Amounts are decimal numbers; anything else is shown as sent. */
export const priceText = (
  price: Price,
  { money }: Pick<Format, 'money'>,
  texts: Texts['search']['offers']['price'],
): PriceText | undefined => {
  const amountOf = (amount: string): string =>
    /^-?\d{1,12}(?:\.\d{1,4})?$/.test(amount) && /^[A-Za-z]{3}$/.test(price.currency)
      ? money(Number(amount), price.currency)
      : `${amount} ${price.currency}`.trim();
  const { estimatedValue, listedValue, unit } = price;
  const actual = price.offeredValue ?? price.value;
  const amount =
    (actual !== undefined && amountOf(actual)) ||
    rangeOf(price, amountOf, texts) ||
    (estimatedValue !== undefined && texts.about(amountOf(estimatedValue))) ||
    (listedValue !== undefined && amountOf(listedValue));
  if (!amount) return undefined;
  const hasDiscount = actual !== undefined && listedValue !== undefined && listedValue !== actual;
  return {
    main: unit === undefined ? amount : texts.per(amount, unit),
    ...(hasDiscount && { listed: texts.listed(amountOf(listedValue)) }),
  };
};

const rangeOf = (
  { minimumValue, maximumValue }: Price,
  amountOf: (amount: string) => string,
  texts: Texts['search']['offers']['price'],
): string | undefined => {
  if (minimumValue === undefined) return maximumValue === undefined ? undefined : texts.upTo(amountOf(maximumValue));
  if (maximumValue === undefined) return texts.from(amountOf(minimumValue));
  return minimumValue === maximumValue
    ? amountOf(minimumValue)
    : texts.range(amountOf(minimumValue), amountOf(maximumValue));
};
