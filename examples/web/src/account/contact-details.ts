import type { Profile } from '../api/resources.ts';
import { type Edits, type Values, without } from '../form/edits.ts';

export const addressFields = [
  ['line1', 'Street and number', 'address-line1'],
  ['line2', 'Apartment, suite', 'address-line2'],
  ['city', 'City', 'address-level2'],
  ['state', 'State', 'address-level1'],
  ['postalCode', 'Postal code', 'postal-code'],
] as const;

const preferred = <Item extends { readonly preferred?: boolean }>(items: readonly Item[] = []): Item | undefined =>
  items.find((item) => item.preferred) ?? items[0];

/** The values of the form fields; empty where the profile has none. */
export const contactDetailsOf = ({ emails, phones, address = {} }: Profile): Values<string> =>
  new Map([
    ['email', preferred(emails)?.address ?? ''],
    ['phone', preferred(phones)?.number ?? ''],
    ...addressFields.map(([name]) => [name, address[name] ?? ''] as const),
  ]);

/** A merge patch (RFC 7396) of the edits. It replaces lists as a whole, so it includes their unchanged items. */
export const contactPatch = (profile: Profile, edits: Edits<string>): object => {
  const changed = without(edits, contactDetailsOf(profile));
  const { emails = [], phones = [] } = profile;
  const address = addressFields.flatMap(([name]) => (changed.has(name) ? [[name, changed.get(name) || null]] : []));
  return {
    ...(changed.has('email') && {
      emails: replaced(emails, { address: changed.get('email') }, { type: 'personal', preferred: true }),
    }),
    ...(changed.has('phone') && {
      phones: replaced(phones, { number: changed.get('phone') }, { type: 'mobile', preferred: true }),
    }),
    ...(address.length > 0 && { address: Object.fromEntries(address) as object }),
  };
};

const replaced = (
  items: readonly { readonly preferred?: boolean }[],
  change: object,
  usual: object,
): readonly object[] => {
  const chosen = preferred(items);
  return chosen ? items.map((item) => (item === chosen ? { ...item, ...change } : item)) : [{ ...usual, ...change }];
};
