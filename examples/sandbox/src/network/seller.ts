import { startFaultyServer } from '../faults.ts';
import { offersFor } from '../search/catalogs.ts';
import { routesListener } from '../search/routes.ts';
import { type Seller, sellerBehind, sellerWithFaults } from '../search/seller-behaviour.ts';
import type { KeyRing, Rotation } from './key-ring.ts';
import type { WireProfile } from './profiles.ts';
import type { SellerPlan } from './sellers.ts';

/** A seller behind the gateway. */
export interface NetworkSeller extends Seller {
  /** Signs with a new key from now on. The key before it stays valid for this many milliseconds. */
  rotateKey(oldKeyValidMs: number): Rotation;
}

export interface NetworkSellerSettings {
  readonly plan: SellerPlan;
  readonly profile: WireProfile;
  readonly keys: KeyRing;
  /** The delay of the slowest seller. */
  readonly longestDelayMs: number;
  readonly port?: number;
}

/** With what ends it: `stopCallbacks` drops those that are pending. */
export type StartedSeller = NetworkSeller & { stopCallbacks(): void };

const catalogName = 'Health and home care';

/** Posts its catalog directly to the buyer, in the network's profile and signed with its current key. */
export const startNetworkSeller = async ({
  plan,
  profile,
  keys,
  longestDelayMs,
  port = 0,
}: NetworkSellerSettings): Promise<StartedSeller> => {
  let bppUri = '';
  const bppId = keys.subscriberId;
  const delay = plan.delay * longestDelayMs;
  const seller = sellerWithFaults(
    {
      ack: (status) => ({ status }),
      parse: profile.parse,
      callbackUrl: (bapUri) => bapUri.replace(/\/$/, '') + profile.callbackPath,
      onSearch: ({ context, message: { intent } }) => {
        const pages = offersFor(intent, plan.pages, (item, shop) => [
          item.descriptor.name,
          shop.descriptor.name,
          catalogName,
        ]);
        // A seller without offers sends an empty catalog.
        const contents = pages.length === 0 ? [[]] : pages.map((page) => [page]);
        return contents.map((providers) => profile.onSearch(context, { bppId, bppUri, catalogName }, providers));
      },
      sign: (body, forged, request) => {
        const requestSignature = profile.isChained ? /signature="([^"]+)"/.exec(request ?? '')?.[1] : undefined;
        return (forged ? keys.current.forge : keys.current.sign)(body, requestSignature);
      },
    },
    { delayMs: [delay, delay] },
  );
  seller.change({ fault: plan.fault });
  const server = await startFaultyServer(routesListener({ [`POST ${profile.searchPath}`]: seller.search }), { port });
  bppUri = server.url;
  return Object.assign(sellerBehind(server, { seller, server, bppId }), {
    rotateKey: keys.rotate,
    stopCallbacks: seller.callbacks.close,
  });
};
