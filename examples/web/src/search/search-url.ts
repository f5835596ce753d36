import { type OfferOrder, offerOrders, searchLengths } from '@portico/core';

/** What the URL of the search page holds, so that a search can be reloaded, shared and gone back to. */
export interface SearchView {
  /** Empty: nothing is searched yet. */
  readonly query: string;
  readonly persona: string;
  readonly filter: string;
  /** The id of a leg. Undefined: all networks. */
  readonly network: string | undefined;
  /** Undefined: in the order of arrival. */
  readonly order: OfferOrder | undefined;
}

const names = { query: 'q', persona: 'as', filter: 'filter', network: 'network', order: 'sort' } as const;

/** Personas that may search, from the configuration; null: any. The first one searches unless the URL names another one. */
export const viewOf = (params: URLSearchParams, personas: readonly string[] | null): SearchView => {
  const text = (name: keyof typeof names): string => (params.get(names[name]) ?? '').slice(0, searchLengths.query);
  return {
    query: text('query').trim(),
    persona: (personas ?? []).find((name) => name === text('persona')) ?? personas?.[0] ?? 'member',
    filter: text('filter'),
    network: text('network') || undefined,
    order: offerOrders.find((name) => name === text('order')),
  };
};

/** The parameters with these values changed. Empty values are left out. */
export const paramsWith = (params: URLSearchParams, changes: Partial<SearchView>): URLSearchParams => {
  const changed = new URLSearchParams(params);
  for (const [name, param] of Object.entries(names)) {
    if (!Object.hasOwn(changes, name)) continue;
    const value = changes[name as keyof SearchView];
    if (value) changed.set(param, value);
    else changed.delete(param);
  }
  return changed;
};

/** The parameters of a new search: the filter and the network of the one before do not apply to it. */
export const paramsOfSearch = (params: URLSearchParams, query: string, persona: string | undefined): URLSearchParams =>
  paramsWith(params, { query, ...(persona !== undefined && { persona }), filter: '', network: undefined });
