import { type LegEvent, readSellerError } from '@portico/core';

/** Describes why a leg has no offers: its own error, or the error that the seller sent instead of a catalog. */
export const legError = ({ result, error }: Pick<LegEvent, 'result' | 'error'>): string | undefined => {
  if (error) return `${error.kind}: ${error.detail}`;
  const seller = readSellerError(result);
  return seller && `seller error ${[seller.code, seller.message].filter((part) => part !== '').join(': ')}`.trim();
};
