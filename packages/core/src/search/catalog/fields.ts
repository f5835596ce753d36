import { isObject } from '../../shared/json/json.ts';
import { decodeEntities } from './html-entities.ts';

/**
 * The names of each field in the networks' versions: Beckn 0.9 and 1.1 (snake case; `context.provider_id` and
 * `catalog.items` are UHI's), Beckn 2.0 as JSON-LD (prefixes `beckn:` and `schema:`), and Beckn 2.0 without prefixes
 * (https://github.com/beckn/protocol-specifications-v2, `schema/core/v2.1/CHANGES.md`; `resources` in its release).
 */
export const field = {
  address: ['address', 'beckn:address'],
  addressLocality: ['addressLocality', 'schema:addressLocality'],
  agent: ['agent'],
  applicableQuantity: ['applicableQuantity', 'schema:eligibleQuantity', 'eligibleQuantity'],
  area: ['addressRegion', 'schema:addressRegion', 'state'],
  available: ['available'],
  availabilityWindow: ['availabilityWindow', 'beckn:availabilityWindow'],
  availableAt: ['availableAt', 'beckn:availableAt'],
  catalog: ['catalog'],
  catalogs: ['catalogs'],
  categories: ['categories', 'bpp/categories'],
  category: ['category', 'beckn:category'],
  categoryIds: ['category_ids', 'category_id'],
  city: ['city', 'beckn:city'],
  code: ['code', 'beckn:code', 'codeValue', 'schema:codeValue'],
  considerationAttributes: ['considerationAttributes', 'beckn:considerationAttributes'],
  considerations: ['considerations', 'beckn:considerations'],
  context: ['context'],
  coordinates: ['coordinates'],
  count: ['count'],
  currency: ['currency', 'priceCurrency', 'schema:priceCurrency'],
  descriptor: ['descriptor', 'bpp/descriptor', 'beckn:descriptor'],
  distance: ['distance', 'beckn:distance'],
  end: ['end', 'endTime', 'schema:endTime', 'endDate', 'schema:endDate'],
  error: ['error'],
  estimatedValue: ['estimated_value'],
  fulfillmentId: ['fulfillment_id'],
  fulfillments: ['fulfillments', 'bpp/fulfillments'],
  geo: ['geo', 'beckn:geo'],
  gps: ['gps', 'beckn:gps'],
  id: ['id', 'beckn:id'],
  images: ['images', 'image', 'media', 'schema:image', 'mediaFile', 'beckn:mediaFile'],
  isActive: ['isActive', 'beckn:isActive'],
  items: ['items', 'beckn:items', 'resources', 'beckn:resources'],
  label: ['label'],
  legacyProviders: ['bpp/providers'],
  listedValue: ['listed_value'],
  locationIds: ['location_ids', 'location_id'],
  locations: ['locations', 'beckn:locations', 'availableAt', 'beckn:availableAt'],
  longDesc: ['long_desc', 'longDesc', 'beckn:longDesc'],
  maximumValue: ['maximum_value'],
  message: ['message'],
  minimumValue: ['minimum_value'],
  name: ['name', 'schema:name', 'beckn:name'],
  offeredItems: ['items', 'beckn:items', 'resourceIds', 'beckn:resourceIds'],
  offeredValue: ['offered_value'],
  offers: ['offers', 'beckn:offers'],
  price: ['price', 'beckn:price'],
  provider: ['provider', 'beckn:provider', 'provider_id'],
  providerOfAll: ['provider', 'beckn:provider', 'providerId', 'beckn:providerId'],
  providers: ['providers', 'beckn:providers'],
  quantity: ['quantity'],
  range: ['range'],
  rating: ['rating', 'beckn:rating'],
  ratingCount: ['ratingCount', 'beckn:ratingCount'],
  ratingValue: ['ratingValue', 'beckn:ratingValue', 'value'],
  responses: ['responses'],
  sellerId: ['bpp_id', 'bppId', 'beckn:bppId', 'provider_id'],
  sellers: ['sellers'],
  shortDesc: ['short_desc', 'shortDesc', 'beckn:shortDesc'],
  start: ['start', 'startTime', 'schema:startTime', 'startDate', 'schema:startDate'],
  thumbnail: ['symbol', 'thumbnailImage', 'beckn:thumbnailImage'],
  time: ['time'],
  timestamp: ['timestamp'],
  unit: ['unit', 'unitText', 'schema:unitText', 'unitCode', 'schema:unitCode'],
  unitQuantity: ['unitQuantity'],
  url: ['url', 'uri', 'schema:url'],
  value: ['value', 'schema:price', 'price'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type Names = readonly string[];

/** Returns a field of an object under the first of its names that has a value. Never an inherited one. */
export const at = (value: unknown, names: Names): unknown => {
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const found = value[name];
    if (found !== undefined && found !== null && Object.hasOwn(value, name)) return found;
  }
  return undefined;
};

/** Returns a list; a single value is a list of one. */
export const listAt = (value: unknown, names: Names): readonly unknown[] => {
  const found = at(value, names);
  if (found === undefined) return none;
  return Array.isArray(found) ? found : [found];
};

/** Returns a list of objects; anything else in it, and anything but a list, is skipped. */
export const objectsAt = (value: unknown, names: Names): readonly unknown[] => {
  const found = at(value, names);
  return Array.isArray(found) ? found.filter(isObject) : none;
};

const none: readonly unknown[] = [];

/**
 * The longest id and text that are kept, and the longest name. Many offers share the text of one category or provider, and
 * with long texts they would fill the memory when they are printed.
 */
const maxLength = 1000;
const maxNameLength = 200;

/** Reads an id: a string or a number, without blanks around it. */
export const idOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  return (typeof value === 'string' && value.slice(0, maxLength).trim()) || undefined;
};

/** Items refer to places and categories; more than this many of one item are not read. */
export const maxReferences = 20;

/** Returns the ids that an item refers to. */
export const referencesAt = (value: unknown, names: Names): readonly string[] => {
  const ids: string[] = [];
  for (const given of listAt(value, names).slice(0, maxReferences)) {
    const id = idOf(given);
    if (id !== undefined) ids.push(id);
  }
  return ids;
};

/** Shortens a text; does not split a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** Reads a display text: trimmed, with HTML entities decoded. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return undefined;
  // Shortened before it is decoded: a text that many items share may be megabytes long.
  return cut(decodeEntities(value.slice(0, 4 * maxLength)).trim(), maxLength) || undefined;
};

export const textAt = (value: unknown, names: Names): string | undefined => textOf(at(value, names));

/** Reads a name, or another text that many offers share. */
export const labelOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined ? undefined : cut(text, maxNameLength);
};

export const labelAt = (value: unknown, names: Names): string | undefined => labelOf(at(value, names));

/** Reads a number of zero or more, also from a string. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  // Zero for -0, which JSON has too.
  return typeof number === 'number' && number >= 0 && number < Infinity ? Math.abs(number) : undefined;
};

/** Reads the name of what a descriptor describes: its name, code or short description. */
export const nameOf = (described: unknown): string | undefined => {
  const descriptor = at(described, field.descriptor);
  return labelAt(descriptor, field.name) ?? labelAt(descriptor, field.code) ?? labelAt(descriptor, field.shortDesc);
};
