import { startFaultyServer } from '../faults.ts';
import { schemeProviders } from './catalogs.ts';
import { type Intent, onSearchContext } from './envelope.ts';
import { routesListener } from './routes.ts';
import { type BehaviourOptions, sellerWithFaults } from './seller-behaviour.ts';

const bppId = 'schemes.moa.example';

/** Receives unsigned envelopes directly, signs nothing, and finds schemes by the words of the query. */
export const startMoaSeller = async ({ port = 0, ...options }: BehaviourOptions & { readonly port?: number } = {}) => {
  let bppUri = '';
  const seller = sellerWithFaults(
    {
      ack: (status) => status,
      callbackUrl: (bapUri) => `${bapUri.replace(/\/$/, '')}/on_search`,
      onSearch: ({ context, message }) => ({
        context: onSearchContext(context, bppId, bppUri),
        message: { catalog: { descriptor: { name: 'Public welfare schemes' }, providers: matching(message.intent) } },
      }),
    },
    options,
  );
  const server = await startFaultyServer(routesListener({ 'POST /search': seller.search }), { port });
  bppUri = server.url;
  return { seller, server, bppId };
};

/** Every word of the query must be in an item's name or short description; providers without matches are left out. */
const matching = ({ item }: Intent) => {
  const name = item?.descriptor?.name;
  const words = (typeof name === 'string' ? name : '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return schemeProviders
    .map((provider) => ({
      ...provider,
      items: provider.items.filter(({ descriptor }) => {
        const text = `${descriptor.name} ${descriptor.short_desc}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ items }) => items.length > 0);
};
