import type { DatabaseSync } from 'node:sqlite';
import { createServer } from '@portico/adapters-koa';
import { createUseCases, ownService, type SomePorts } from '@portico/core';
import { authorizations, sqliteAuthorizations } from './sqlite-authorizations.ts';

/** A member API with prior authorizations, beside the services in `ports`. */
export const memberApi = (ports: SomePorts, database: DatabaseSync) =>
  createServer(createUseCases({ ...ports, services: [ownService(authorizations, sqliteAuthorizations(database))] }));
