import { copyOf, isObject } from '../shared/json/json.ts';
import { at, field, idOf, labelAt, labelOf, listAt, nameOf, objectsAt, textAt } from './catalog/fields.ts';
import { type Origin, readItem } from './catalog/item.ts';
import type { Offer, Price } from './catalog/offer.ts';
import { readPrice } from './catalog/price.ts';
import { type Provider, providerIdOf, readCategories, readProvider } from './catalog/provider.ts';

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
  const bodies = bodiesOf(result);
  const offers = new OfferSet(bodies.length > 1);
  for (const body of bodies) {
    const message = at(body, field.message);
    const sellerId = idOf(at(at(body, field.context), field.sellerId));
    offers.from(sellerId);
    for (const catalog of [at(message, field.catalog), ...objectsAt(message, field.catalogs)])
      readCatalog(catalog, { sellerId, legId: leg?.id, network: leg?.label }, offers);
  }
  return offers.all;
};

const bodiesOf = (result: unknown): readonly unknown[] => {
  const responses = at(result, field.message) === undefined ? at(result, field.responses) : undefined;
  return Array.isArray(responses) ? responses : [result];
};

/**
 * By seller, provider and item; the ids of an item's terms, if it has any. Nested, because ids may be long, and a joined key
 * would be copied for each item and term.
 */
type Seen = Map<string | undefined, Map<string, Map<string, Set<string> | undefined>>>;

/** Offers in order, without duplicates: of several offers of one provider with the same id, the first. */
class OfferSet {
  readonly all: Offer[] = [];
  readonly #hasSeveralBodies: boolean;
  readonly #seenFrom = new Map<string, Seen>();
  #seen: Seen = new Map();
  /** What distinguishes the offers of unknown senders. */
  readonly #anonymous = new Map<string | undefined, Map<string, Set<string>>>();
  #isAnonymous = false;

  constructor(hasSeveralBodies: boolean) {
    this.#hasSeveralBodies = hasSeveralBodies;
  }

  /**
   * Sets the sender of the offers that follow. Offers of different senders are never duplicates, because a catalog may claim
   * another seller's id. Each body without a sender has its own; only equal offers of such bodies are duplicates.
   */
  from(sender: string | undefined): void {
    this.#isAnonymous = sender === undefined && this.#hasSeveralBodies;
    this.#seen = sender === undefined ? new Map() : entryOf(this.#seenFrom, sender, () => new Map());
  }

  /** Adds an offer for each of the terms, or one if there are none. */
  add(offer: Offer, allTerms: readonly Terms[]): void {
    const { sellerId, providerId, providerName } = offer;
    // Providers of the real leg have names but no ids.
    const owner = providerId === '' ? `name ${providerName}` : `id ${providerId}`;
    const owners = entryOf(this.#seen, sellerId, () => new Map());
    const items = entryOf(owners, owner, () => new Map<string, Set<string> | undefined>());
    const item = keyOf(offer);
    if (allTerms.length === 0) {
      if (items.has(item)) return;
      items.set(item, undefined);
      this.#push(offer, owner);
      return;
    }
    const seen = items.get(item) ?? new Set();
    items.set(item, seen);
    for (const [index, { id, name, price }] of allTerms.entries()) {
      const known = id ?? name ?? String(index);
      const termsId = hasIds(offer) ? known : JSON.stringify([known, price]);
      if (seen.has(termsId)) continue;
      seen.add(termsId);
      this.#push({ ...offer, ...(name !== undefined && { terms: name }), price }, owner);
    }
  }

  #push(offer: Offer, owner: string): void {
    if (this.#isAnonymous) {
      const { sellerId, itemId, name, terms, price } = offer;
      const owners = entryOf(this.#anonymous, sellerId, () => new Map<string, Set<string>>());
      const known = entryOf(owners, owner, () => new Set<string>());
      const key = JSON.stringify([itemId, name, terms, price]);
      if (known.has(key)) return;
      known.add(key);
    }
    this.all.push(offer);
  }
}

/** Without both ids, two sellers may use the same name or number. */
const hasIds = ({ providerId, itemId }: Offer): boolean => providerId !== '' && itemId !== '';

/** What makes an item of a provider a duplicate. */
const keyOf = (offer: Offer): string =>
  hasIds(offer) ? `id ${offer.itemId}` : JSON.stringify([offer.itemId, offer.name, offer.price]);

/** Returns the value of a key. It is created if the map has none. */
const entryOf = <Key, Value extends object>(map: Map<Key, Value>, key: Key, create: () => Value): Value => {
  const known = map.get(key);
  if (known) return known;
  const created = create();
  map.set(key, created);
  return created;
};

const readCatalog = (catalog: unknown, from: Origin, offers: OfferSet): void => {
  const sellerId = idOf(at(catalog, field.sellerId)) ?? from.sellerId;
  const origin = { ...from, sellerId };
  const categories = readCategories(catalog);
  const name = nameOf(catalog) ?? labelOf(sellerId) ?? '';
  const read = (provider: unknown) => readProvider(provider, categories, name);
  const byId = new Map<string | undefined, Provider>();
  for (const value of [...objectsAt(catalog, field.providers), ...objectsAt(catalog, field.legacyProviders)]) {
    const provider = read(value);
    byId.set(idOf(at(value, field.id)), provider);
    // These offers belong to this provider, whichever provider they name.
    const terms = termsByItem(objectsAt(value, field.offers), () => undefined);
    for (const item of objectsAt(value, field.items)) addItem(item, { provider, terms, origin }, offers);
  }
  const terms = termsByItem(objectsAt(catalog, field.offers), (offer) => providerIdOf(at(offer, field.provider)));
  const shared = read(at(catalog, field.providerOfAll));
  const fulfillments = readFulfillments(catalog);
  for (const item of objectsAt(catalog, field.items)) {
    const fulfillmentId = idOf(at(item, field.fulfillmentId));
    const fulfillment = fulfillmentId === undefined ? undefined : fulfillments.get(fulfillmentId);
    const own = at(item, field.provider);
    const ownId = idOf(own);
    const known = ownId === undefined ? undefined : byId.get(ownId);
    const provider = own === undefined ? shared : (known ?? read(own));
    addItem(item, { provider, terms, origin, fulfillment }, offers);
  }
};

/** How an item of UHI is provided. */
interface Fulfillment {
  readonly value: unknown;
  /** Such as a doctor. */
  readonly agent: { readonly id: string; readonly name: string } | undefined;
}

/** Reads each fulfillment once: many items may refer to it. */
const readFulfillments = (catalog: unknown): ReadonlyMap<string | undefined, Fulfillment> => {
  const fulfillments = objectsAt(catalog, field.fulfillments).map(
    (value): readonly [string | undefined, Fulfillment] => {
      const agent = at(value, field.agent);
      const id = idOf(at(agent, field.id)) ?? '';
      const name = labelAt(agent, field.name) ?? labelOf(id);
      return [idOf(at(value, field.id)), { value, agent: name === undefined ? undefined : { id, name } }];
    },
  );
  return new Map(fulfillments);
};

/** UHI: if an item has no provider, the agent of its fulfillment is the provider. */
const withAgent = (provider: Provider, fulfillment: Fulfillment | undefined): Provider =>
  provider.id === '' && fulfillment?.agent ? { ...provider, ...fulfillment.agent } : provider;

/** The terms of a Beckn 2.0 offer. */
interface Terms {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly price: Price;
}

const readTerms = (offer: unknown): readonly Terms[] => {
  const price = readPrice(offer);
  return price ? [{ id: idOf(at(offer, field.id)), name: nameOf(offer), price }] : [];
};

/** By item id and by the id of the provider, which an offer need not name. */
type TermsByItem = Map<string | undefined, Map<string | undefined, Terms[]>>;

/** Reads the terms of offers: in Beckn 2.0, an offer has the price and names its items. */
const termsByItem = (offers: readonly unknown[], providerOf: (offer: unknown) => string | undefined): TermsByItem => {
  const byItem: TermsByItem = new Map();
  for (const offer of offers) {
    const providerId = providerOf(offer);
    for (const terms of readTerms(offer))
      for (const id of new Set(listAt(offer, field.offeredItems).map(idOf))) {
        const byProvider = entryOf(byItem, id, () => new Map<string | undefined, Terms[]>());
        entryOf(byProvider, providerId, () => []).push(terms);
      }
  }
  return byItem;
};

/**
 * Removes and returns the terms of an item: those of its provider and of none, or all when its provider is not known. They
 * are used once, so that the work stays proportional when many items have one id.
 */
const takeTerms = (byItem: TermsByItem, itemId: string, providerId: string): readonly Terms[] => {
  const byProvider = byItem.get(itemId);
  if (!byProvider) return [];
  const ids = providerId === '' ? [...byProvider.keys()] : [undefined, providerId];
  return ids.flatMap((id) => {
    const terms = byProvider.get(id) ?? [];
    byProvider.delete(id);
    return terms;
  });
};

interface Surroundings {
  readonly provider: Provider;
  readonly terms: TermsByItem;
  readonly origin: Origin;
  readonly fulfillment?: Fulfillment | undefined;
}

/** Adds an offer for each of the item's terms, or one with its own price. */
const addItem = (item: unknown, { provider, terms, origin, fulfillment }: Surroundings, offers: OfferSet): void => {
  const offer = readItem(item, withAgent(provider, fulfillment), fulfillment?.value, origin);
  if (!offer) return;
  const own = [...takeTerms(terms, offer.itemId, provider.id), ...objectsAt(item, field.offers).flatMap(readTerms)];
  const price = own.length === 0 ? readPrice(item) : undefined;
  offers.add(price ? { ...offer, price } : offer, own);
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
  // Copied, because a part of a string keeps the whole message in memory while the search waits.
  return { code: copyOf(textAt(error, field.code) ?? ''), message: copyOf(textAt(error, field.message) ?? '') };
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
