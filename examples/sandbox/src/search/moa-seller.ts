import { startFaultyServer } from '../faults.ts';
import { offersFor, schemeProviders } from './catalogs.ts';
import { onSearchContext } from './envelope.ts';
import { routesListener } from './routes.ts';
import { type BehaviourOptions, sellerWithFaults } from './seller-behaviour.ts';

const bppId = 'schemes.moa.example';

/** Receives unsigned envelopes directly, signs nothing, and finds schemes by their names and short descriptions. */
export const startMoaSeller = async ({ port = 0, ...options }: BehaviourOptions & { readonly port?: number } = {}) => {
  let bppUri = '';
  const seller = sellerWithFaults(
    {
      ack: (status) => status,
      callbackUrl: (bapUri) => `${bapUri.replace(/\/$/, '')}/on_search`,
      onSearch: ({ context, message }) => [
        {
          context: onSearchContext(context, bppId, bppUri),
          message: {
            catalog: {
              descriptor: { name: 'Public welfare schemes' },
              providers: offersFor(message.intent, schemeProviders, ({ descriptor }) => [
                descriptor.name,
                descriptor.short_desc,
              ]),
            },
          },
        },
      ],
    },
    options,
  );
  const server = await startFaultyServer(routesListener({ 'POST /search': seller.search }), { port });
  bppUri = server.url;
  return { seller, server, bppId };
};
