import { at, field, idOf, labelOf, maxReferences, nameOf, objectsAt, referencesAt } from './fields.ts';
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
  readonly places: ReadonlyMap<string | undefined, Places>;
  /** The places of items that do not name their own. */
  readonly allPlaces: Places;
}

/** Some places, and the distance of the nearest one. */
interface Places {
  readonly locations?: readonly OfferLocation[] | undefined;
  readonly distanceKm?: number | undefined;
}

/** Reads the id of a provider, which may be given as its id alone. */
export const providerIdOf = (provider: unknown): string | undefined => idOf(provider) ?? idOf(at(provider, field.id));

/** Reads a provider of a catalog, or its id. The name falls back to `catalogName`, the name of its platform. */
export const readProvider = (provider: unknown, catalogCategories: CategoryNames, catalogName: string): Provider => {
  const id = providerIdOf(provider) ?? '';
  const rating = readRating(provider);
  const places = objectsAt(provider, field.locations);
  const categories = readCategories(provider);
  return {
    id,
    name: nameOf(provider) ?? labelOf(id) ?? catalogName,
    ...(rating && { rating }),
    categoryName: (categoryId) => categories.get(categoryId) ?? catalogCategories.get(categoryId),
    places: new Map(places.map((place) => [idOf(at(place, field.id)), readPlaces([place])])),
    allPlaces: readPlaces(places),
  };
};

/** By id. Each may lack an id or a name. */
type CategoryNames = ReadonlyMap<string | undefined, string | undefined>;

/** Reads the names of the categories of a provider or a catalog. */
export const readCategories = (owner: unknown): CategoryNames =>
  new Map(objectsAt(owner, field.categories).map((category) => [idOf(at(category, field.id)), nameOf(category)]));

/** Returns the places of an item: those that it has itself, those it refers to, or all of its provider. */
export const placesOf = (item: unknown, { places, allPlaces }: Provider): Places => {
  const own = objectsAt(item, field.availableAt);
  if (own.length > 0) return readPlaces(own);
  const ids = referencesAt(item, field.locationIds);
  if (ids.length === 0) return allPlaces;
  // Items that refer to one place share it.
  if (ids.length === 1) return places.get(ids[0]) ?? {};
  return merged(ids.map((id) => places.get(id)).filter((place) => place !== undefined));
};

const readPlaces = (places: readonly unknown[]): Places =>
  merged(
    places.slice(0, maxReferences).map((place) => {
      const location = readLocation(place);
      return { locations: location && [location], distanceKm: readDistanceKm(place) };
    }),
  );

const merged = (places: readonly Places[]): Places => {
  const locations = places.flatMap((place) => place.locations ?? []);
  const distances = places.flatMap(({ distanceKm }) => distanceKm ?? []);
  return {
    locations: locations.length > 0 ? locations : undefined,
    distanceKm: distances.length > 0 ? Math.min(...distances) : undefined,
  };
};
