import type { ClientFailure, PorticoClient } from '@portico/client';
import type { Json } from '@portico/core';
import { useQuery } from '@tanstack/react-query';
import type { ResultAsync } from 'neverthrow';
import { createContext, use } from 'react';
import type { Caller } from './client.ts';

export const CallerContext = createContext<Caller | undefined>(undefined);

export const useCaller = (): Caller => {
  const caller = use(CallerContext);
  if (!caller) throw new Error('There is no session above this component.');
  return caller;
};

/** A resource, and the entity tag of this version of it, where there is one. */
export interface Version<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

export const versionOf = <T>({ value, etag }: Json): Version<T> => ({ value: value as T, etag });

type Read = (portico: PorticoClient, signal: AbortSignal) => ResultAsync<Json, ClientFailure>;

/** One resource, kept under this key. Each fails alone: a service that is down affects its own card only. */
export const useResource = <T>(key: string, read: Read) => {
  const call = useCaller();
  return useQuery({
    queryKey: [key],
    queryFn: async ({ signal }) => (await call((portico) => read(portico, signal))).value as T,
  });
};

/** The same with its entity tag, for a resource that is changed here. */
export const useVersioned = <T>(key: string, read: Read) => {
  const call = useCaller();
  return useQuery({
    queryKey: [key],
    queryFn: async ({ signal }) => versionOf<T>(await call((portico) => read(portico, signal))),
  });
};
