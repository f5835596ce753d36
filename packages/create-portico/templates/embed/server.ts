import type { Server } from 'node:http';
import { createServer } from '@portico/adapters-koa';
import type { SomeUseCases } from '@portico/core';

/** The member API, with a route of this program. The middleware runs before the routes of Portico. */
export const ourServer = (useCases: SomeUseCases): Server =>
  createServer(useCases, {
    middleware: [
      async (ctx, next) => {
        if (ctx.path !== '/version') return next();
        ctx.body = { name: '{{name}}' };
      },
    ],
  });
