import type { Server } from 'node:http';
import { searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { createServer, type ServedUseCases, type ServerSettings } from './server/server.ts';

export const serverToken = Symbol('portico:server') as ServiceIdentifier<Server>;

/** Binds a server of the member API and the search API, as far as their use cases are bound. */
export const koaModule = (settings: ServerSettings = {}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(serverToken)
      .toDynamicValue(({ get }) => {
        const member = get(useCasesToken, { optional: true });
        const search = get(searchUseCasesToken, { optional: true });
        return createServer({ ...member, ...search } as ServedUseCases, settings);
      })
      .inSingletonScope();
  });
