import type { Leg } from '@portico/core';
import type { FaultyServer } from './faults.ts';
import { keyRing } from './network/key-ring.ts';
import { startNetworkRegistry } from './network/registry.ts';
import { startMhAdapter } from './search/mh-adapter.ts';
import { startMhEnrichment } from './search/mh-enrichment.ts';
import { startMhGateway } from './search/mh-gateway.ts';
import { startMhSeller } from './search/mh-seller.ts';
import { startMoaSeller } from './search/moa-seller.ts';
import { type BehaviourOptions, type Seller, sellerBehind } from './search/seller-behaviour.ts';

/** One leg of Portico's search, as in its settings. */
export type LegSettings = Omit<Leg, 'id'>;

export interface SearchNetworks {
  readonly moa: Seller;
  /** `server` is the mock seller; the buyer connects to the adapter, which `refused` closes. */
  readonly mh: Seller & {
    readonly adapter: FaultyServer;
    readonly gateway: FaultyServer;
    readonly enrichment: FaultyServer;
    readonly registry: FaultyServer;
  };
  /** Settings that connect a buyer-side app with this public base URL to the networks. */
  legs(bapBase: string): Record<'moa' | 'mh', LegSettings>;
  /** Closes immediately: pending callbacks are dropped. */
  close(): Promise<void>;
}

export interface SearchNetworksOptions extends BehaviourOptions {
  /** The first port is for moa's seller; mh's adapter, gateway, seller, enrichment and registry use the next five. Default: any free ports. */
  readonly firstPort?: number;
}

/** The `mh` adapter signs with this id, so it is the only `bap_id` that the network accepts. */
const bapId = 'bap.portico.example';

export const startSearchNetworks = async ({
  firstPort = 0,
  ...behaviour
}: SearchNetworksOptions = {}): Promise<SearchNetworks> => {
  const running: FaultyServer[] = [];
  const started = <T extends FaultyServer>(server: T): T => {
    running.push(server);
    return server;
  };
  const port = (index: number) => ({ port: firstPort === 0 ? 0 : firstPort + index });
  const buyer = keyRing(bapId);
  const shop = keyRing('retail.mh.example');
  try {
    const moa = await startMoaSeller({ ...behaviour, ...port(0) });
    started(moa.server);
    const mh = await startMhSeller(shop.current, { ...behaviour, ...port(3) });
    started(mh.server);
    const registry = started(await startNetworkRegistry([buyer, shop], port(5)));
    const enrichment = started(await startMhEnrichment(port(4)));
    const gateway = started(await startMhGateway({ registryUrl: registry.url, sellerUrl: mh.server.url, ...port(2) }));
    const adapter = started(
      await startMhAdapter({
        buyer: buyer.current,
        enrichmentUrl: enrichment.url,
        gatewayUrl: gateway.url,
        ...port(1),
      }),
    );
    return {
      moa: sellerBehind(moa.server, moa),
      mh: Object.assign(sellerBehind(adapter, mh), {
        adapter,
        gateway,
        enrichment,
        registry,
      }),
      legs: (bapBase) => ({
        moa: {
          label: 'Welfare schemes',
          domain: 'schemes:moa',
          version: '1.1.0',
          city: 'std:080',
          categoryCode: 'welfare-schemes',
          bapId,
          bapUri: bapBase,
          gatewayUrl: moa.server.url,
          gatewayPath: '/search',
          ttl: 'PT10M',
        },
        mh: {
          label: 'Health retail',
          domain: 'retail',
          version: '1.1.0',
          city: 'std:080',
          categoryCode: 'health-retail',
          bapId,
          bapUri: `${bapBase.replace(/\/$/, '')}/on_search`,
          gatewayUrl: adapter.url,
          gatewayPath: '/bap/caller/search/',
          ttl: 'PT10M',
        },
      }),
      async close() {
        moa.seller.callbacks.close();
        mh.seller.callbacks.close();
        await Promise.all(running.map((server) => server.close()));
      },
    };
  } catch (error) {
    await Promise.all(running.map((server) => server.close()));
    throw error;
  }
};
