import type { Server } from 'node:http';
import type { SearchUseCases, UseCases } from '@portico/core';
import { searchUseCasesToken, useCasesToken } from '@portico/core/inversify';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { createServer, type ServerSettings } from './server/server.ts';

export const serverToken = Symbol('portico:server') as ServiceIdentifier<Server>;

/** Serves the halves whose use cases are bound, and knows no route without any. */
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
