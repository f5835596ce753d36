import { beckn09 } from './beckn-0-9.ts';
import { beckn11 } from './beckn-1-1.ts';
import { beckn20 } from './beckn-2-0.ts';
import type { NetworkProfile, ProfileName } from './network-profile.ts';
import { ondc12 } from './ondc-1-2.ts';

/** The profiles that a leg can name. */
export const networkProfiles: Readonly<Record<ProfileName, NetworkProfile>> = {
  'beckn-1.1': beckn11,
  'beckn-0.9': beckn09,
  'ondc-1.2': ondc12,
  'beckn-2.0': beckn20,
};

/** Every accepted action: `on_search` of Beckn 0.9 to 1.1 and of ONDC, `on_discover` of Beckn 2.0. */
export const callbackActions: ReadonlySet<unknown> = new Set(
  Object.values(networkProfiles).map(({ callbackAction }) => callbackAction),
);

/** The profile of a leg. Default `beckn-1.1`. */
export const profileOf = ({
  profile = 'beckn-1.1',
}: {
  readonly profile?: ProfileName | NetworkProfile | undefined;
}): NetworkProfile => (typeof profile === 'string' ? networkProfiles[profile] : profile);
