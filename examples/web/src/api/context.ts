import type { ClientFailure, PorticoClient } from '@portico/client';
import type { Json } from '@portico/core';
import { useQuery } from '@tanstack/react-query';
import type { ResultAsync } from 'neverthrow';
import { createContext, use } from 'react';
import type { Caller } from './client.ts';
import type { PartReader } from './page-reads.ts';

export const CallerContext = createContext<Caller | undefined>(undefined);

/** Reads resources together with others of the page. Undefined: each by its own request. */
export const PartReaderContext = createContext<PartReader | undefined>(undefined);

export const useCaller = (): Caller => {
  const caller = use(CallerContext);
  if (!caller) throw new Error('useCaller must be used inside a session.');
  return caller;
};

/** A resource with the entity tag of this version, if it has one. */
export interface Version<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

export const versionOf = <T>({ value, etag }: Json): Version<T> => ({ value: value as T, etag });

type Read = (portico: PorticoClient, signal?: AbortSignal) => ResultAsync<Json, ClientFailure>;

/**
 * Reads one resource, cached under this key: the last segment of its path, or one with parameters that make it another
 * resource. Each fails independently: a service that is down affects only its own card.
 */
export const useResource = <T>(key: string, read: Read, isEnabled = true) => {
  const call = useCaller();
  const readPart = use(PartReaderContext);
  return useQuery({
    queryKey: [key],
    enabled: isEnabled,
    queryFn: async (query) => {
      const { value } = await (readPart
        ? // The signal of a query that never reads it does not cancel: the next page may need the resource.
          readPart(key, () => call((portico) => read(portico)))
        : call((portico) => read(portico, query.signal)));
      // Without content. A query must not return `undefined`.
      return (value ?? null) as T;
    },
  });
};

/** The same with its entity tag, for resources that the pages change. */
export const useVersioned = <T>(key: string, read: Read) => {
  const call = useCaller();
  return useQuery({
    queryKey: [key],
    queryFn: async ({ signal }) => versionOf<T>(await call((portico) => read(portico, signal))),
  });
};
