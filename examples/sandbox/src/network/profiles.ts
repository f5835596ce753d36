import type { CatalogProvider } from '../search/catalogs.ts';
import { type Envelope, onSearchContext, parseEnvelope, parseJson } from '../search/envelope.ts';
import type { OnSearch } from '../search/seller-behaviour.ts';
import { uhiLookupPath } from './registry.ts';

/** The versions that a network may speak. The names are those of the setting `profile` of a leg. */
export type WireProfileName = 'beckn-1.1' | 'beckn-0.9' | 'ondc-1.2' | 'beckn-2.0';

/** How participants of a network write what they exchange. */
export interface WireProfile {
  readonly searchPath: string;
  readonly callbackPath: string;
  /** Settings of a leg for this profile. */
  readonly leg: object;
  /** The setting `registry` of a leg, without its URL. */
  readonly registry: object;
  /** Whether callbacks also sign the signature of the request. */
  readonly isChained?: boolean;
  /** Reads a search into the names of Beckn 1.1. */
  parse(bytes: Buffer): Envelope | undefined;
  onSearch(context: Envelope['context'], seller: SellerNames, providers: readonly CatalogProvider[]): OnSearch;
}

interface SellerNames {
  readonly bppId: string;
  readonly bppUri: string;
  readonly catalogName: string;
}

const onSearchPaths = { searchPath: '/search', callbackPath: '/on_search', parse: parseEnvelope } as const;

const beckn11: WireProfile = {
  ...onSearchPaths,
  leg: { version: '1.1.0' },
  registry: { profile: 'beckn' },
  onSearch: (context, seller, providers) => ({
    context: onSearchContext(context, seller.bppId, seller.bppUri),
    message: { catalog: { descriptor: { name: seller.catalogName }, providers } },
  }),
};

const beckn09: WireProfile = {
  ...onSearchPaths,
  leg: { version: '0.9.4' },
  registry: { profile: 'uhi', path: uhiLookupPath },
  onSearch: (context, seller, providers) => ({
    context: onSearchContext(context, seller.bppId, seller.bppUri),
    message: { catalog: { 'bpp/descriptor': { name: seller.catalogName }, 'bpp/providers': providers } },
  }),
};

/** Items of ONDC's retail catalogs have a category, a maximum price and a stock. */
const ondc12: WireProfile = {
  ...onSearchPaths,
  leg: { version: '1.2.0', finderFee: { type: 'percent', amount: '3' } },
  registry: { profile: 'ondc', lookup: { country: 'IND' } },
  onSearch: (context, seller, providers) => ({
    context: onSearchContext(context, seller.bppId, seller.bppUri),
    message: {
      catalog: {
        'bpp/descriptor': { name: seller.catalogName },
        'bpp/providers': providers.map((provider) => ({
          ...provider,
          items: provider.items.map((item) => ({
            ...item,
            category_id: 'Health & Wellness',
            price: { ...item.price, maximum_value: item.price?.value },
            quantity: { available: { count: '99' }, maximum: { count: '10' } },
          })),
        })),
      },
    },
  }),
};

const beckn20: WireProfile = {
  searchPath: '/discover',
  callbackPath: '/on_discover',
  leg: { version: '2.0.0' },
  registry: { profile: 'dedi' },
  isChained: true,
  parse: (bytes) => {
    const { context, message } = (parseJson(bytes) ?? {}) as Partial<Discover>;
    if (context?.action !== 'discover' || typeof message?.intent?.textSearch !== 'string') return undefined;
    const { transactionId, messageId, bapId, bapUri, ...rest } = context;
    const named = { transaction_id: transactionId, message_id: messageId, bap_id: bapId, bap_uri: bapUri };
    if (![...Object.values(named), rest['domain']].every((value) => typeof value === 'string')) return undefined;
    const item = { descriptor: { name: message.intent.textSearch } };
    return { context: { ...rest, ...named }, message: { intent: { item } } } as Envelope;
  },
  onSearch: ({ transaction_id, message_id, bap_id, bap_uri, ...rest }, { bppId, bppUri, catalogName }, providers) => ({
    context: {
      ...rest,
      action: 'on_discover',
      transactionId: transaction_id,
      messageId: message_id,
      bapId: bap_id,
      bapUri: bap_uri,
      bppId,
      bppUri,
      timestamp: new Date().toISOString(),
    },
    message: { catalogs: providers.map((provider) => catalog20(provider, catalogName)) },
  }),
};

/** The parts of a request of Beckn 2.0 that sellers read. */
interface Discover {
  readonly context: Readonly<Record<string, unknown>>;
  readonly message: { readonly intent?: { readonly textSearch?: unknown } };
}

const catalog20 = ({ id, descriptor, items }: CatalogProvider, catalogName: string) => ({
  id: `${id}-catalog`,
  descriptor: { name: catalogName },
  provider: { id, descriptor },
  resources: items.map((item) => ({
    id: item.id,
    descriptor: { name: item.descriptor.name, shortDesc: item.descriptor.short_desc },
  })),
  offers: items.map((item) => ({
    id: `${item.id}-offer`,
    resourceIds: [item.id],
    considerations: [
      {
        considerationAttributes: {
          '@type': 'PriceSpecification',
          currency: item.price?.currency,
          value: Number(item.price?.value),
        },
      },
    ],
  })),
});

export const wireProfiles: Readonly<Record<WireProfileName, WireProfile>> = {
  'beckn-1.1': beckn11,
  'beckn-0.9': beckn09,
  'ondc-1.2': ondc12,
  'beckn-2.0': beckn20,
};
