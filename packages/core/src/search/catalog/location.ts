import { at, field, idOf, labelAt, labelOf, nameOf, numberOf } from './fields.ts';
import type { OfferLocation } from './offer.ts';

/**
 * Reads a place: `gps`, `city` and `address` of Beckn 0.9 and 1.1 (`schema/Location.yaml`), or GeoJSON and a postal
 * address of schema.org of Beckn 2.0. Returns undefined when nothing of it can be shown.
 */
export const readLocation = (location: unknown): OfferLocation | undefined => {
  const name = nameOf(location) ?? labelAt(location, field.name);
  const city = cityOf(location);
  const address = labelAt(location, field.address);
  const gps = gpsOf(location);
  if ((name ?? city ?? address ?? gps) === undefined) return undefined;
  return {
    ...(name !== undefined && { name }),
    ...(city !== undefined && { city }),
    ...(address !== undefined && { address }),
    ...(gps !== undefined && { gps }),
  };
};

/** The city is a name, an object with a name, or part of the address. Codes such as `std:080` are not shown. */
const cityOf = (location: unknown): string | undefined => {
  const city = at(location, field.city);
  const address = at(location, field.address);
  return (
    labelAt(city, field.name) ??
    labelOf(city) ??
    labelAt(address, field.city) ??
    labelAt(address, field.addressLocality)
  );
};

/** Reads `latitude,longitude`, or a GeoJSON point, whose order is longitude, latitude (RFC 7946, section 3.1.1). */
const gpsOf = (location: unknown): string | undefined => {
  const coordinates = at(at(location, field.geo), field.coordinates);
  const pair: readonly unknown[] | undefined = Array.isArray(coordinates)
    ? [coordinates[1], coordinates[0]]
    : idOf(at(location, field.gps))?.split(/[\s,]+/);
  if (!pair) return undefined;
  const [latitude, longitude] = [degreesOf(pair[0]), degreesOf(pair[1])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? `${latitude},${longitude}` : undefined;
};

/** NaN for anything but a decimal number. */
const degreesOf = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[+-]?\d{1,3}(?:\.\d+)?$/.test(value) ? Number(value) : NaN;
};

const kilometresPer: ReadonlyMap<string | undefined, number> = new Map([
  ['km', 1],
  ['kilometer', 1],
  ['kilometers', 1],
  ['kilometre', 1],
  ['kilometres', 1],
  ['m', 0.001],
  ['meter', 0.001],
  ['meters', 0.001],
  ['metre', 0.001],
  ['metres', 0.001],
  ['mi', 1.609344],
  ['mile', 1.609344],
  ['miles', 1.609344],
]);

/**
 * Reads a distance with its unit: `{"value": "2.5", "unit": "km"}` (Beckn 1.1, `schema/Scalar.yaml`) or `2.5 km`. No
 * version of Beckn has the field; sellers add it. Without a unit it is not read.
 */
export const readDistanceKm = (place: unknown): number | undefined => {
  const distance = at(place, field.distance);
  if (typeof distance === 'string') {
    const match = /^\s*(\d{1,9}(?:\.\d{1,9})?) ?([a-z]{1,12})\s*$/i.exec(distance);
    return inKilometres(match?.[1], match?.[2]);
  }
  return inKilometres(at(distance, field.value), at(distance, field.unit));
};

const inKilometres = (value: unknown, unit: unknown): number | undefined => {
  const number = numberOf(value);
  const factor = kilometresPer.get(idOf(unit)?.toLowerCase());
  return number === undefined || factor === undefined ? undefined : number * factor;
};

/** The part of a location that is best to display: city, name, address or coordinates. */
export const describeLocation = ({ name, city, address, gps }: OfferLocation): string =>
  city ?? name ?? address ?? gps ?? '';
