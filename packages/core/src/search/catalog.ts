import { isObject } from '../shared/request-body.ts';
import { at, field, idOf, listAt, nameOf, objectsAt, textAt } from './catalog/fields.ts';
import { type Origin, readItem } from './catalog/item.ts';
import type { Offer } from './catalog/offer.ts';
import { readPrice } from './catalog/price.ts';
import { type Provider, readCategories, readProvider } from './catalog/provider.ts';

/** The leg that a result belongs to. */
interface ResultLeg {
  readonly id: string;
  readonly label: string;
}

/**
 * Reads the offers of a leg's result: the body of a callback, or `{"responses": [body, …]}` of a leg that collects them
 * (contract, section 13). Every catalog shape in use is read: `message.catalog.providers` (Beckn 1.1),
 * `["bpp/providers"]` (Beckn 0.9, ONDC), `items` without providers (UHI), and `message.catalogs` (Beckn 2.0 as JSON-LD, and
 * without prefixes). Malformed entries, and duplicate items of a provider, are skipped. Takes any value and never fails;
 * the work is proportional to its size.
 */
export const readOffers = (result: unknown, leg?: ResultLeg): readonly Offer[] => {
  const offers = new OfferSet();
  for (const body of bodiesOf(result)) {
    const message = at(body, field.message);
    const sellerId = idOf(at(at(body, field.context), field.sellerId));
    for (const catalog of [at(message, field.catalog), ...objectsAt(message, field.catalogs)])
      readCatalog(catalog, { sellerId, legId: leg?.id, network: leg?.label }, offers);
  }
  return offers.all;
};

const bodiesOf = (result: unknown): readonly unknown[] => {
  const responses = at(result, field.message) === undefined ? at(result, field.responses) : undefined;
  return Array.isArray(responses) ? responses : [result];
};

/** Offers in order, without duplicates: of several offers of one provider with the same id, the first. */
class OfferSet {
  readonly all: Offer[] = [];
  readonly #keys = new Map<string, Set<string>>();

  add(offer: Offer, termsId = ''): void {
    const { sellerId = '', providerId, providerName, itemId, name } = offer;
    // Providers of the real leg have names but no ids.
    const owner = JSON.stringify([sellerId, providerId === '' ? [providerName] : providerId, termsId]);
    const key = itemId === '' ? `name ${name}` : `id ${itemId}`;
    const keys = this.#keys.get(owner) ?? new Set();
    if (keys.has(key)) return;
    if (keys.size === 0) this.#keys.set(owner, keys);
    keys.add(key);
    this.all.push(offer);
  }
}

const readCatalog = (catalog: unknown, from: Origin, offers: OfferSet): void => {
  if (!isObject(catalog)) return;
  const sellerId = idOf(at(catalog, field.sellerId)) ?? from.sellerId;
  const origin = { ...from, sellerId };
  const categories = readCategories(catalog);
  const name = nameOf(catalog) ?? sellerId ?? '';
  const provided = [...objectsAt(catalog, field.providers), ...objectsAt(catalog, field.legacyProviders)];
  const providers = provided.map((value) => [value, readProvider(value, categories, name)] as const);
  for (const [value, provider] of providers) {
    const terms = termsByItem(objectsAt(value, field.offers));
    for (const item of objectsAt(value, field.items)) addItem(item, { provider, terms, origin }, offers);
  }
  const items = objectsAt(catalog, field.items);
  if (items.length === 0) return;
  const terms = termsByItem(objectsAt(catalog, field.offers));
  const byId = new Map(providers.map(([, provider]) => [provider.id, provider]));
  const shared = readProvider(at(catalog, field.providerOfAll), categories, name);
  const fulfillments = new Map(
    objectsAt(catalog, field.fulfillments).map((value) => [idOf(at(value, field.id)), value]),
  );
  for (const item of items) {
    const fulfillment = fulfillments.get(idOf(at(item, field.fulfillmentId)));
    const own = at(item, field.provider);
    const provider = own === undefined ? shared : (byId.get(idOf(own) ?? '') ?? readProvider(own, categories, name));
    addItem(item, { provider: withAgent(provider, fulfillment), terms, origin, fulfillment }, offers);
  }
};

/** UHI: who provides an item without a provider is the agent of its fulfillment, such as a doctor. */
const withAgent = (provider: Provider, fulfillment: unknown): Provider => {
  const agent = at(fulfillment, field.agent);
  const id = idOf(at(agent, field.id)) ?? '';
  const name = textAt(agent, field.name) ?? id;
  return provider.id !== '' || name === '' ? provider : { ...provider, id, name };
};

/** Prices by item id: in Beckn 2.0, an offer has the price and names its items. */
const termsByItem = (offers: readonly unknown[]): Map<string, unknown[]> => {
  const terms = new Map<string, unknown[]>();
  for (const offer of offers) {
    if (!readPrice(offer)) continue;
    for (const id of new Set(listAt(offer, field.offeredItems).map(idOf))) {
      if (id === undefined) continue;
      const before = terms.get(id);
      if (before) before.push(offer);
      else terms.set(id, [offer]);
    }
  }
  return terms;
};

interface Surroundings {
  readonly provider: Provider;
  readonly terms: Map<string, unknown[]>;
  readonly origin: Origin;
  readonly fulfillment?: unknown;
}

/** Adds an offer per priced term of the item, or one with its own price. */
const addItem = (item: unknown, { provider, terms, origin, fulfillment }: Surroundings, offers: OfferSet): void => {
  const offer = readItem(item, provider, fulfillment, origin);
  if (!offer) return;
  const priced = [...(terms.get(offer.itemId) ?? []), ...objectsAt(item, field.offers).filter(readPrice)];
  if (priced.length === 0) offers.add(withPrice(offer, item));
  // Used once, so that the work stays proportional when many items have one id.
  terms.delete(offer.itemId);
  for (const term of priced) {
    const label = nameOf(term);
    const withTerms = label === undefined ? offer : { ...offer, terms: label };
    offers.add(withPrice(withTerms, term), idOf(at(term, field.id)) ?? label);
  }
};

const withPrice = (offer: Offer, priced: unknown): Offer => {
  const price = readPrice(priced);
  return price ? { ...offer, price } : offer;
};

/** The error of a seller that sent it instead of a catalog (contract, section 13). */
export interface SellerError {
  /** Empty if the seller sent none. */
  readonly code: string;
  readonly message: string;
}

/** Reads the error of an `on_search` body that has an `error` and no catalog. */
export const readSellerError = (callback: unknown): SellerError | undefined => {
  const error = at(callback, field.error);
  const message = at(callback, field.message);
  if (!isObject(error) || (at(message, field.catalog) ?? at(message, field.catalogs)) !== undefined) return undefined;
  return { code: textAt(error, field.code) ?? '', message: textAt(error, field.message) ?? '' };
};

/** Reads the errors of single sellers from the error of a leg that collects callbacks: `sellers[]` (contract, section 13). */
export const readSellerErrors = (legError: unknown): readonly (SellerError & { readonly sellerId: string })[] =>
  objectsAt(legError, field.sellers).map((seller) => {
    const error = at(seller, field.error) ?? seller;
    return {
      sellerId: idOf(at(seller, field.sellerId)) ?? '',
      code: textAt(error, field.code) ?? '',
      message: textAt(error, field.message) ?? '',
    };
  });
