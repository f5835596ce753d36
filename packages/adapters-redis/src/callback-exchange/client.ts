import { createClient } from '@redis/client';
import { connectionOptions } from '../connection.ts';
import { placeCallback } from './place-callback.ts';

/** A client that is not connected yet. */
export const exchangeClient = (url: string) => createClient({ ...connectionOptions(url), scripts: { placeCallback } });

export type ExchangeClient = ReturnType<typeof exchangeClient>;

/** An expiry in milliseconds. */
export const px = (value: number) => ({ type: 'PX' as const, value });
