import { readAvailability, readRating } from './availability.ts';
import { at, field, idOf, labelAt, labelOf, listAt, maxReferences, nameOf, referencesAt, textAt } from './fields.ts';
import { readDistanceKm } from './location.ts';
import type { Offer } from './offer.ts';
import { placesOf, type Provider } from './provider.ts';

/** What an offer has besides its item. */
export interface Origin {
  readonly sellerId?: string | undefined;
  readonly legId?: string | undefined;
  readonly network?: string | undefined;
}

/** Reads an item as an offer without a price. Undefined if it has no name and no id. */
export const readItem = (
  item: unknown,
  provider: Provider,
  fulfillment: unknown,
  origin: Origin,
): Offer | undefined => {
  const itemId = idOf(at(item, field.id)) ?? '';
  const name = nameOf(item) ?? labelOf(itemId);
  if (name === undefined) return undefined;
  const places = placesOf(item, provider);
  const offer: Writable<Offer> = { providerId: provider.id, providerName: provider.name, itemId, name };
  put(offer, 'description', descriptionOf(item, name));
  put(offer, 'images', filled(imagesOf(at(item, field.descriptor))));
  put(offer, 'categories', filled(categoriesOf(item, provider)));
  put(offer, 'locations', places.locations);
  put(offer, 'distanceKm', readDistanceKm(item) ?? places.distanceKm);
  put(offer, 'rating', readRating(item) ?? provider.rating);
  put(offer, 'availability', readAvailability(item, fulfillment));
  put(offer, 'sellerId', origin.sellerId);
  put(offer, 'legId', origin.legId);
  put(offer, 'network', origin.network);
  return offer;
};

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Sets a part that is given. A catalog may have a hundred thousand items, for which copies would be slow. */
const put = <Key extends keyof Offer>(offer: Writable<Offer>, key: Key, part: Offer[Key] | undefined): void => {
  if (part !== undefined) offer[key] = part;
};

const filled = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

/** The short description, unless it is the name already. */
const descriptionOf = (item: unknown, name: string): string | undefined => {
  const descriptor = at(item, field.descriptor);
  return [textAt(descriptor, field.shortDesc), textAt(descriptor, field.longDesc)].find(
    (description) => description !== undefined && description !== name,
  );
};

const maxUrlLength = 2048;

/** Images are strings (Beckn 0.9, 2.0), or objects with a `url` (Beckn 1.1, `schema/Image.yaml`). */
const imagesOf = (descriptor: unknown): readonly string[] => {
  const images = [...listAt(descriptor, field.images).slice(0, maxReferences), at(descriptor, field.thumbnail)];
  const urls = images.flatMap((image) => urlOf(image) ?? []);
  return urls.filter((url, index) => urls.indexOf(url) === index);
};

const urlOf = (image: unknown): string | undefined => {
  const given = at(image, field.url) ?? image;
  // Not shortened, as an id would be: a shortened URL is a different URL.
  if (typeof given !== 'string' || given.length > maxUrlLength) return undefined;
  const url = given.trim();
  return /^https?:\/\/[^\s"'<>]+$/i.test(url) ? url : undefined;
};

/** Item categories are ids (Beckn 0.9, 1.1), names in place of ids (ONDC retail), or an object (Beckn 2.0). */
const categoriesOf = (item: unknown, { categoryName }: Provider): readonly string[] => {
  const category = at(item, field.category);
  const own = labelAt(category, field.name) ?? labelAt(category, field.code) ?? nameOf(category);
  if (own !== undefined) return [own];
  return referencesAt(item, field.categoryIds).flatMap((id) => categoryName(id) ?? labelOf(id) ?? []);
};
