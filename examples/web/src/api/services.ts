import type { ServiceName } from '@portico/core';
import { createContext, type ReactNode, use } from 'react';

/** The services that Portico serves. Undefined: all of them. */
export const ServicesContext = createContext<readonly ServiceName[] | undefined>(undefined);

/** Whether Portico serves this service. */
export const useIsServed = (name: ServiceName): boolean => use(ServicesContext)?.includes(name) ?? true;

/** Shows its children if Portico serves this service. */
export const OfService = ({ name, children }: { readonly name: ServiceName; readonly children: ReactNode }) =>
  useIsServed(name) ? children : null;
