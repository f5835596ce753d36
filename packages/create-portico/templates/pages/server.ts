import type { Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createServer } from '@portico/adapters-koa';
import { type SessionSettings, sessions } from '@portico/adapters-session';
import type { SomeUseCases } from '@portico/core';

const directory = fileURLToPath(new URL('public', import.meta.url));

/** The pages, the sign-in and the member API. The browser has a session cookie; the member API gets the access token. */
export const ourServer = (useCases: SomeUseCases, settings: SessionSettings): Server => {
  const handle = sessions(settings);
  return createServer(useCases, {
    middleware: [(ctx, next) => handle(ctx.req, ctx.res, next)],
    pages: { directory, config: {} },
  });
};
