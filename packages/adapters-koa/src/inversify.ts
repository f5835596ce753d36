import type { Server } from 'node:http';
import type { UseCases } from '@portico/core';
import { useCasesToken } from '@portico/core/inversify';
import { ContainerModule, type ServiceIdentifier } from 'inversify';
import { createServer, type ServerSettings } from './server.ts';

export const serverToken = Symbol('portico:server') as ServiceIdentifier<Server>;

/** Serves the use cases when they are bound, and knows no route otherwise. */
export const koaModule = (settings: ServerSettings = {}): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(serverToken)
      .toResolvedValue(
        (use: UseCases | undefined) => createServer(use, settings),
        [{ serviceIdentifier: useCasesToken, optional: true }],
      )
      .inSingletonScope();
  });
