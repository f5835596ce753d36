import { at, field, idOf, labelOf, listAt, nameOf, objectsAt } from './fields.ts';
import { readDistanceKm, readLocation } from './location.ts';
import { readRating } from './availability.ts';
import type { OfferLocation, Rating } from './offer.ts';

/** What the items of a provider share. It is read once: a provider may have a hundred thousand items. */
export interface Provider {
  readonly id: string;
  readonly name: string;
  readonly rating?: Rating;
  /** Returns the name of a category of the provider, or of its catalog. */
  readonly categoryName: (id: string) => string | undefined;
  readonly places: ReadonlyMap<string, Places>;
  /** The places of items that do not name their own. */
  readonly allPlaces: Places;
}

/** Some places, and the distance of the nearest one. */
interface Places {
  readonly locations?: readonly OfferLocation[];
  readonly distanceKm?: number;
}

/** Items refer to places and categories; more than this many of one item are not read. */
export const maxReferences = 20;

/** Reads a provider of a catalog, or its id. The name falls back to `catalogName`, the name of its platform. */
export const readProvider = (
  provider: unknown,
  catalogCategories: ReadonlyMap<string, string>,
  catalogName: string,
): Provider => {
  const id = idOf(provider) ?? idOf(at(provider, field.id)) ?? '';
  const rating = readRating(provider);
  const places = objectsAt(provider, field.locations);
  const categories = readCategories(provider);
  return {
    id,
    name: nameOf(provider) ?? labelOf(id) ?? catalogName,
    ...(rating && { rating }),
    categoryName: (categoryId) => categories.get(categoryId) ?? catalogCategories.get(categoryId),
    places: places.length === 0 ? none : placesById(places),
    allPlaces: readPlaces(places),
  };
};

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** Reads the names of the categories of a provider or a catalog. */
export const readCategories = (owner: unknown): ReadonlyMap<string, string> => {
  const categories = objectsAt(owner, field.categories);
  if (categories.length === 0) return none;
  const names = new Map<string, string>();
  for (const category of categories) {
    const id = idOf(at(category, field.id));
    const name = nameOf(category);
    if (id !== undefined && name !== undefined) names.set(id, name);
  }
  return names;
};

const placesById = (places: readonly unknown[]): ReadonlyMap<string, Places> => {
  const byId = new Map<string, Places>();
  for (const place of places) {
    const id = idOf(at(place, field.id));
    if (id !== undefined) byId.set(id, readPlaces([place]));
  }
  return byId;
};

/** Returns the places of an item: those that it has itself, those it refers to, or all of its provider. */
export const placesOf = (item: unknown, { places, allPlaces }: Provider): Places => {
  const own = objectsAt(item, field.availableAt);
  if (own.length > 0) return readPlaces(own);
  const ids = listAt(item, field.locationIds);
  if (ids.length === 0) return allPlaces;
  if (ids.length === 1) return places.get(idOf(ids[0]) ?? '') ?? {};
  return merged(ids.slice(0, maxReferences).flatMap((id) => places.get(idOf(id) ?? '') ?? []));
};

const readPlaces = (places: readonly unknown[]): Places =>
  merged(
    places.slice(0, maxReferences).map((place) => {
      const location = readLocation(place);
      const distanceKm = readDistanceKm(place);
      return { ...(location && { locations: [location] }), ...(distanceKm !== undefined && { distanceKm }) };
    }),
  );

const merged = (places: readonly Places[]): Places => {
  const locations = places.flatMap((place) => place.locations ?? []);
  const distances = places.flatMap(({ distanceKm }) => distanceKm ?? []);
  return {
    ...(locations.length > 0 && { locations }),
    ...(distances.length > 0 && { distanceKm: Math.min(...distances) }),
  };
};
