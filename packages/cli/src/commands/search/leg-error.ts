import { isObject, type LegEvent, readSellerError, readSellerErrors, type SellerError } from '@portico/core';

type LegResult = Pick<LegEvent, 'result'> & { readonly error?: unknown };

/** Describes why a leg has no offers: its own error, or the error that the seller sent instead of a catalog. */
export const legError = ({ result, error }: LegResult): string | undefined => {
  if (isObject(error) && (result ?? null) === null) return `${textOf(error['kind'])}: ${textOf(error['detail'])}`;
  const seller = readSellerError(result);
  return seller && describe(seller);
};

/** Describes the errors of single sellers of a leg that collects the callbacks of many (contract, section 13). */
export const sellerErrors = ({ error }: LegResult): readonly string[] =>
  readSellerErrors(error).map((seller) => `${seller.sellerId} ${describe(seller)}`.trim());

const describe = ({ code, message }: SellerError): string =>
  `seller error ${[code, message].filter((part) => part !== '').join(': ')}`.trim();

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
