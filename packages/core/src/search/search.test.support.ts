import { createSignal, type Signal } from '../runtime/signal.ts';
import { type Json, toJson } from '../shared/json.ts';
import type { Leg } from './leg.ts';

export const aLeg = (id: string, differences: Partial<Leg> = {}): Leg => ({
  id,
  label: `The ${id} network`,
  domain: `schemes:${id}`,
  version: '1.1.0',
  city: 'std:080',
  categoryCode: 'health-cover',
  bapId: 'bap.example.org',
  bapUri: 'https://bap.example.org',
  gatewayUrl: `https://${id}.example.org`,
  gatewayPath: '/search',
  ttl: 'PT10M',
  ...differences,
});

/** A seller's `on_search` callback. */
export const onSearch = (
  transactionId: string,
  { sellerId = 'bpp.example.org', catalog = {} }: { readonly sellerId?: string; readonly catalog?: unknown } = {},
): Json =>
  toJson({ context: { action: 'on_search', transaction_id: transactionId, bpp_id: sellerId }, message: { catalog } });

/** Lets everything happen that needs no time to pass. */
export const everythingSettles = async (): Promise<void> => {
  for (let turn = 0; turn < 32; turn++) await Promise.resolve();
};

/** A client that may leave, and who still listens to it. */
export const watchedClient = () => {
  const { signal: inner, abort } = createSignal();
  const listeners = new Set<() => void>();
  const signal: Signal = {
    get aborted() {
      return inner.aborted;
    },
    addEventListener: (type, listener) => {
      listeners.add(listener);
      inner.addEventListener(type, listener);
    },
    removeEventListener: (type, listener) => {
      listeners.delete(listener);
      inner.removeEventListener(type, listener);
    },
  };
  return {
    signal,
    leaves: abort,
    get listeners() {
      return listeners.size;
    },
  };
};
