import { useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Api } from './client.ts';

export const ApiContext = createContext<Api | undefined>(undefined);

export const useApi = (): Api => {
  const api = use(ApiContext);
  if (!api) throw new Error('There is no session above this component.');
  return api;
};

/** One resource, by its path. Each has its own fate: one service that is down takes nothing else with it. */
export const useResource = <T>(path: string) => {
  const api = useApi();
  return useQuery({ queryKey: [path], queryFn: ({ signal }) => api.get<T>(path, signal) });
};

/** The same with its entity tag, for what is changed here. */
export const useVersioned = <T>(path: string) => {
  const api = useApi();
  return useQuery({ queryKey: [path], queryFn: ({ signal }) => api.read<T>(path, signal) });
};
