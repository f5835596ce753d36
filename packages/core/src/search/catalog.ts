import { isObject } from '../shared/request-body.ts';

/** One catalog item, from either catalog shape. */
export interface Offer {
  readonly providerId: string;
  readonly providerName: string;
  readonly itemId: string;
  readonly name: string;
  readonly description?: string;
  readonly price?: { readonly value: string; readonly currency: string };
}

/**
 * Reads the offers of an `on_search` body, in order: first `message.catalog.providers`, then
 * `message.catalog["bpp/providers"]`. A missing name falls back to the id. Duplicate items of a provider and malformed
 * entries are skipped.
 */
export const readOffers = (callback: unknown): readonly Offer[] => {
  const catalog = at(at(callback, 'message'), 'catalog');
  const offers = new Map<string, Offer>();
  for (const provider of [...list(catalog, 'providers'), ...list(catalog, 'bpp/providers')]) {
    const providerId = text(at(provider, 'id')) ?? '';
    const providerName = nameOf(provider) ?? providerId;
    for (const item of list(provider, 'items')) {
      const itemId = text(at(item, 'id')) ?? '';
      const name = nameOf(item) ?? itemId;
      if (name === '') continue;
      // Providers of the real leg have names but no ids.
      const key = JSON.stringify([providerId === '' ? [providerName] : providerId, itemId === '' ? [name] : itemId]);
      const offer = { providerId, providerName, itemId, name, ...descriptionOf(item), ...priceOf(item) };
      if (!offers.has(key)) offers.set(key, offer);
    }
  }
  return [...offers.values()];
};

/** The error of a seller that sent it instead of a catalog (contract, section 13). */
export interface SellerError {
  /** Empty if the seller sent none. */
  readonly code: string;
  readonly message: string;
}

/** Reads the error of an `on_search` body that has an `error` and no catalog. */
export const readSellerError = (callback: unknown): SellerError | undefined => {
  const error = at(callback, 'error');
  if (!isObject(error) || at(at(callback, 'message'), 'catalog') !== undefined) return undefined;
  return { code: text(at(error, 'code')) ?? '', message: text(at(error, 'message')) ?? '' };
};

const at = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const list = (value: unknown, name: string): readonly unknown[] => {
  const found = at(value, name);
  return Array.isArray(found) ? found : [];
};

const text = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

const nameOf = (value: unknown): string | undefined => text(at(at(value, 'descriptor'), 'name'));

const descriptionOf = (item: unknown): { readonly description?: string } => {
  const descriptor = at(item, 'descriptor');
  const description = text(at(descriptor, 'short_desc')) ?? text(at(descriptor, 'long_desc'));
  return description === undefined ? {} : { description };
};

const priceOf = (item: unknown): Pick<Offer, 'price'> => {
  const price = at(item, 'price');
  const value = text(at(price, 'value'));
  return value === undefined ? {} : { price: { value, currency: text(at(price, 'currency')) ?? '' } };
};
