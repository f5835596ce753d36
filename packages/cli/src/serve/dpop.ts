import type { DpopSettings } from '@portico/adapters-koa';
import { identityProviders } from '../settings/sections/identity-schema.ts';
import type { Settings } from '../settings/schema.ts';

/** Whether this instance serves members with DPoP-bound tokens (RFC 9449). */
export const acceptsDpop = (settings: Settings): boolean =>
  settings.roles.includes('member') && identityProviders(settings).some(({ dpop }) => dpop !== 'off');

/** The DPoP settings of the member routes. The settings are only valid with a public URL. */
export const dpopSettings = (settings: Settings): { readonly dpop?: DpopSettings } => {
  const { publicUrl } = settings.listen;
  if (publicUrl === undefined || !acceptsDpop(settings)) return {};
  return { dpop: { publicUrl, isRequired: identityProviders(settings).every(({ dpop }) => dpop === 'require') } };
};
