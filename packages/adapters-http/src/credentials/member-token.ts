import type { Credentials } from '@portico/core';
import { ok } from 'neverthrow';

/** The member's own bearer token (RFC 6750, section 2.1). The default of every service. */
export const memberToken: Credentials = {
  identifiesMember: true,
  for: ({ token }) => ok({ authorization: `Bearer ${token}` }),
};

const nothing = ok({});

/** No `Authorization` header. */
export const noCredentials: Credentials = { identifiesMember: false, for: () => nothing };
