import { networkProfiles } from './profiles.ts';

/** Every accepted action: `on_search` of Beckn 0.9 to 1.1 and of ONDC, `on_discover` of Beckn 2.0. */
export const callbackActions: ReadonlySet<unknown> = new Set(
  Object.values(networkProfiles).map(({ callbackAction }) => callbackAction),
);
