import { ok } from 'neverthrow';
import { type Fails, failOnDemand } from '../shared/fake.ts';
import type { Credentials } from './credentials.port.ts';

export interface FakeCredentials extends Credentials, Fails {
  /** Returns the locator of the member whose credentials these are, if any. */
  ownerOf(fields: Readonly<Record<string, string>>): string | undefined;
}

/** Issues one token for each member's token, or with `identifiesMember: false` one for all members. */
export const fakeCredentials = ({ identifiesMember = true } = {}): FakeCredentials => {
  const { respond, ...failing } = failOnDemand();
  const issued = new Map<string, { readonly value: string; readonly owner: string }>();
  return {
    ...failing,
    identifiesMember,
    ownerOf: ({ authorization }) =>
      identifiesMember ? [...issued.values()].find(({ value }) => value === authorization)?.owner : undefined,
    for: ({ locator, token }) =>
      respond(() => {
        const key = identifiesMember ? token : '';
        const known = issued.get(key) ?? { value: `Bearer issued-${issued.size}`, owner: locator };
        issued.set(key, known);
        return ok({ authorization: known.value });
      }),
  };
};
