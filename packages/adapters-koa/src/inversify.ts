import type { Server } from 'node:http';
import type { SearchUseCases, UseCases } from '@portico/core';
import { searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { createServer, type ServerSettings } from './server/server.ts';

export const serverToken = Symbol('portico:server') as ServiceIdentifier<Server>;

/** Binds a server of the member API and the search API, as far as their use cases are bound. */
export const koaModule = (settings: ServerSettings = {}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(serverToken)
      .toResolvedValue(
        (member: UseCases | undefined, search: SearchUseCases | undefined) =>
          createServer({ ...member, ...search }, settings),
        [
          { serviceIdentifier: useCasesToken, optional: true },
          { serviceIdentifier: searchUseCasesToken, optional: true },
        ],
      )
      .inSingletonScope();
  });
