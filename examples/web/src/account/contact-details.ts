import type { Profile } from '@portico/client';
import { type Edits, without } from '../form/edits.ts';

/** The key of the profile in the cache, and of its draft. */
export const contactKey = 'profile';

const addressFields = ['line1', 'line2', 'city', 'state', 'postalCode'] as const;

export type ContactField = 'email' | 'phone' | (typeof addressFields)[number];

const preferred = <Item extends { readonly preferred?: boolean }>(items: readonly Item[] = []): Item | undefined =>
  items.find((item) => item.preferred) ?? items[0];

/** The values of the form fields; empty where the profile has none. */
export const contactDetailsOf = ({ emails, phones, address = {} }: Profile): ReadonlyMap<ContactField, string> =>
  new Map<ContactField, string>([
    ['email', preferred(emails)?.address ?? ''],
    ['phone', preferred(phones)?.number ?? ''],
    ...addressFields.map((name) => [name, address[name] ?? ''] as const),
  ]);

/** A merge patch (RFC 7396) of the edits. It replaces lists as a whole, so it includes their unchanged items. */
export const contactPatch = (profile: Profile, edits: Edits<string>): object => {
  const trimmed = new Map([...edits].map(([name, value]) => [name, value.trim()] as const));
  const changed = without(trimmed, contactDetailsOf(profile));
  const { emails = [], phones = [] } = profile;
  const address = addressFields.flatMap((name) => (changed.has(name) ? [[name, changed.get(name) || null]] : []));
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
