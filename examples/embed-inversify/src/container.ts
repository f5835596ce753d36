import { httpModule, type HttpModuleSettings } from '@portico/adapters-http/inversify';
import type { Claims } from '@portico/core';
import { coreModule, portTokens } from '@portico/core/inversify';
import { Container } from 'inversify';

/** Portico's container with another implementation of the claims port. */
export const ourContainer = (settings: HttpModuleSettings, claims: Claims): Container => {
  const container = new Container();
  container.load(coreModule(), httpModule(settings));
  container.rebind(portTokens.claims).toConstantValue(claims);
  return container;
};
