import type { CallbackMode } from '@portico/core';
import type { FaultyServer } from '../faults.ts';
import { startNetworkGateway } from './gateway.ts';
import { type KeyRing, keyRing } from './key-ring.ts';
import { startOnixAdapter } from './onix-adapter.ts';
import { type WireProfile, type WireProfileName, wireProfiles } from './profiles.ts';
import { startNetworkRegistry } from './registry.ts';
import { type NetworkSeller, type StartedSeller, startNetworkSeller } from './seller.ts';
import { type NetworkSellerName, sellerPlans } from './sellers.ts';

/** A network with a gateway, a registry and five sellers that call the buyer back directly. */
export interface SellerNetwork {
  readonly gateway: FaultyServer;
  readonly registry: FaultyServer;
  readonly sellers: Readonly<Record<NetworkSellerName, NetworkSeller>>;
  /** Settings of a leg that connects a buyer with this public base URL, and collects every seller's callbacks. */
  leg(bapBase: string): object;
  /** Closes immediately: pending callbacks are dropped. */
  close(): Promise<void>;
}

export interface SellerNetworkOptions {
  /** What the participants speak. Default `beckn-1.1`. */
  readonly profile?: WireProfileName;
  /** What ends the leg. Default: 1.5 seconds without a callback. */
  readonly callbacks?: CallbackMode;
  /** The delay of the slowest seller's callbacks, in milliseconds. Default: 2500. */
  readonly longestDelayMs?: number;
  /** Places a beckn-onix adapter between the network and the buyer with this base URL. Default: none. */
  readonly onixForBuyerAt?: string;
  /** The first port is the gateway's; the registry and the sellers use the next six. Default: any free ports. */
  readonly firstPort?: number;
}

const names = Object.keys(sellerPlans) as NetworkSellerName[];

export const startSellerNetwork = async ({
  profile: profileName = 'beckn-1.1',
  callbacks = { quietMs: 1500 },
  longestDelayMs = 2500,
  onixForBuyerAt,
  firstPort = 0,
}: SellerNetworkOptions = {}): Promise<SellerNetwork> => {
  // beckn-onix verifies no signatures that cover the signature of the request.
  const profile = { ...wireProfiles[profileName], ...(onixForBuyerAt !== undefined && { isChained: false }) };
  const buyer = keyRing('bap.care.example');
  const rings = Object.fromEntries(names.map((name) => [name, keyRing(`${name}.care.example`)]));
  const port = (index: number) => ({ port: firstPort === 0 ? 0 : firstPort + index });
  const running: FaultyServer[] = [];
  const sellers: Partial<Record<NetworkSellerName, StartedSeller>> = {};
  const close = async () => {
    for (const { stopCallbacks } of Object.values(sellers)) stopCallbacks();
    await Promise.all(running.map((server) => server.close()));
  };
  try {
    const registry = await startNetworkRegistry([buyer, ...Object.values(rings)], port(1));
    running.push(registry);
    for (const [index, name] of names.entries()) {
      const settings = { plan: sellerPlans[name], profile, keys: rings[name]!, longestDelayMs, ...port(index + 2) };
      const seller = await startNetworkSeller(settings);
      sellers[name] = seller;
      running.push(seller.server);
    }
    const sellerUrls = Object.values(sellers).map(({ url }) => url);
    const gateway = await startNetworkGateway({ profile, registryUrl: registry.url, sellerUrls, ...port(0) });
    running.push(gateway);
    const onix =
      onixForBuyerAt !== undefined
        ? await startOnixAdapter({
            profile,
            buyer: buyer.current,
            registryUrl: registry.url,
            gatewayUrl: gateway.url,
            bapUrl: onixForBuyerAt,
          })
        : undefined;
    if (onix) running.push(onix);
    return {
      gateway,
      registry,
      sellers: sellers as Record<NetworkSellerName, StartedSeller>,
      leg: (bapBase) => ({
        label: 'Home care',
        profile: profileName,
        domain: 'home-care',
        city: 'std:080',
        categoryCode: 'home-care',
        bapId: buyer.subscriberId,
        callbacks,
        ...(onix ? behindOnix(onix, profile) : { bapUri: bapBase, gatewayUrl: gateway.url, signing: signingOf(buyer) }),
        verifyCallbacks: true,
        registry: { url: registry.url, ...profile.registry, ...(onix && { signing: signingOf(buyer) }) },
        ...profile.leg,
      }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const behindOnix = ({ url }: FaultyServer, { searchPath }: WireProfile) => ({
  gatewayUrl: url,
  gatewayPath: `/bap/caller${searchPath}`,
  bapUri: `${url}/bap/receiver`,
});

const signingOf = ({ subscriberId, current: { uniqueKeyId, privateKey } }: KeyRing) => ({
  subscriberId,
  uniqueKeyId,
  privateKey,
});
