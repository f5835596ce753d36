import type { DpopSettings } from '@portico/adapters-koa';
import { identityProviders } from '../settings/sections/identity-schema.ts';
import { storesSessions } from '../settings/sections/session-schema.ts';
import type { Settings } from '../settings/schema.ts';

/** Whether this instance serves members with DPoP-bound tokens (RFC 9449). */
const acceptsDpop = (settings: Settings): boolean =>
  settings.roles.includes('member') && identityProviders(settings).some(({ dpop }) => dpop !== 'off');

/** Whether this instance remembers what may be used only once: DPoP proofs, and the logout tokens of sessions. */
export const needsReplayStore = (settings: Settings): boolean => acceptsDpop(settings) || storesSessions(settings);

/** The DPoP settings of the member routes. The settings are only valid with a public URL. */
export const dpopSettings = (settings: Settings): { readonly dpop?: DpopSettings } => {
  const { publicUrl } = settings.listen;
  if (publicUrl === undefined || !acceptsDpop(settings)) return {};
  return { dpop: { publicUrl, isRequired: identityProviders(settings).every(({ dpop }) => dpop === 'require') } };
};
