import { startFaultyServer } from '../faults.ts';
import { retailProviders } from './catalogs.ts';
import { onSearchContext } from './envelope.ts';
import type { Subscriber } from './mh-keys.ts';
import { routesListener } from './routes.ts';
import { type BehaviourOptions, sellerWithFaults } from './seller-behaviour.ts';

/** Returns its whole catalog for every query, and signs its callbacks. */
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
      onSearch: ({ context }) => ({
        context: onSearchContext({ ...context, domain: 'retail' }, bppId, bppUri),
        message: { catalog: { 'bpp/descriptor': { name: 'Health retail' }, 'bpp/providers': retailProviders } },
      }),
      sign: (body, forged) => (forged ? self.forge(body) : self.sign(body)),
    },
    options,
  );
  const server = await startFaultyServer(routesListener({ 'POST /search': seller.search }), { port });
  bppUri = server.url;
  return { seller, server, bppId };
};
