import { createClient } from '@redis/client';
import { connectionOptions } from '../connection.ts';
import { restoreAccepted } from './accepted-callbacks.ts';
import { storeCallback } from './store-callback.ts';

/** Creates a client that is not connected yet. */
export const exchangeClient = (url: string, maxQueuedCommands: number) =>
  createClient({
    ...connectionOptions(url),
    commandsQueueMaxLength: maxQueuedCommands,
    scripts: { storeCallback, restoreAccepted },
  });

export type ExchangeClient = ReturnType<typeof exchangeClient>;

/** An expiration in milliseconds. */
export const px = (value: number) => ({ type: 'PX' as const, value });
