import { at, field, idOf, numberOf, objectsAt } from './fields.ts';
import type { Availability, Rating } from './offer.ts';

/**
 * Reads whether and when an item is available: `quantity.available.count`, and `time` with the label `disable` (ONDC
 * retail) or with a range (Beckn 1.1); `isActive` and `availabilityWindow` (Beckn 2.0); or the start and the end of its
 * fulfillment (UHI).
 */
export const readAvailability = (item: unknown, fulfillment: unknown): Availability | undefined => {
  const count = numberOf(at(at(at(item, field.quantity), field.available), field.count));
  const time = at(item, field.time);
  const isDisabled = at(time, field.label) === 'disable' || at(item, field.isActive) === false;
  const range = at(time, field.range) ?? objectsAt(item, field.availabilityWindow)[0];
  const from = idOf(at(range, field.start)) ?? timestampOf(at(fulfillment, field.start));
  const until = idOf(at(range, field.end)) ?? timestampOf(at(fulfillment, field.end));
  if (count === undefined && !isDisabled && from === undefined && until === undefined) return undefined;
  return {
    ...(count !== undefined && { count }),
    ...(isDisabled ? { isInStock: false } : count !== undefined && { isInStock: count > 0 }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  };
};

const timestampOf = (stop: unknown): string | undefined => idOf(at(at(stop, field.time), field.timestamp));

/** Reads a rating: a number (Beckn 1.1, `schema/Rating.yaml`), or an object with the number of ratings (Beckn 2.0). */
export const readRating = (rated: unknown): Rating | undefined => {
  const rating = at(rated, field.rating);
  const value = numberOf(at(rating, field.ratingValue) ?? rating);
  if (value === undefined) return undefined;
  const count = numberOf(at(rating, field.ratingCount));
  return { value, ...(count !== undefined && { count }) };
};
