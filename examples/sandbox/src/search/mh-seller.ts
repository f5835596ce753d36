import { startFaultyServer } from '../faults.ts';
import { offersFor, retailProviders } from './catalogs.ts';
import { onSearchContext } from './envelope.ts';
import type { Subscriber } from './subscriber.ts';
import { routesListener } from './routes.ts';
import { type BehaviourOptions, sellerWithFaults } from './seller-behaviour.ts';

const catalogName = 'Health retail';

/** Finds offers by their names and those of the shop and the catalog, and signs its callbacks. */
export const startMhSeller = async (
  self: Subscriber,
  { port = 0, ...options }: BehaviourOptions & { readonly port?: number } = {},
) => {
  let bppUri = '';
  const bppId = self.subscriberId;
  const seller = sellerWithFaults(
    {
      ack: (status) => ({ status }),
      callbackUrl: (bapUri) => bapUri,
      onSearch: ({ context, message: { intent } }) => [
        {
          context: onSearchContext({ ...context, domain: 'retail' }, bppId, bppUri),
          message: {
            catalog: {
              'bpp/descriptor': { name: catalogName },
              'bpp/providers': offersFor(intent, retailProviders, (item, shop) => [
                item.descriptor.name,
                shop.descriptor.name,
                catalogName,
              ]),
            },
          },
        },
      ],
      sign: (body, forged) => (forged ? self.forge(body) : self.sign(body)),
    },
    options,
  );
  const server = await startFaultyServer(routesListener({ 'POST /search': seller.search }), { port });
  bppUri = server.url;
  return { seller, server, bppId };
};
