import { type Json, toJson } from '../shared/json/json.ts';
import type { Leg, ListedLeg } from './leg.ts';

/** Creates a leg for tests. */
export const aLeg = (
  id: string,
  { gatewayPath = '/search', ttl = 'PT10M', ...differences }: Partial<Leg> = {},
): ListedLeg => ({
  id,
  label: `The ${id} network`,
  domain: `schemes:${id}`,
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'health-cover',
  bapId: 'bap.example.org',
  bapUri: 'https://bap.example.org',
  gatewayUrl: `https://${id}.example.org`,
  gatewayPath,
  ttl,
  ...differences,
});

/** Creates a seller's `on_search` callback for tests. */
export const anOnSearch = (
  transactionId: string,
  { sellerId = 'bpp.example.org', catalog = {} }: { readonly sellerId?: string; readonly catalog?: unknown } = {},
): Json =>
  toJson({ context: { action: 'on_search', transaction_id: transactionId, bpp_id: sellerId }, message: { catalog } });
