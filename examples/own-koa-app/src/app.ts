import { memberRoutes } from '@portico/adapters-koa';
import type { UseCases } from '@portico/core';
import Koa from 'koa';

/** An app that was there before, with its own middleware and routes, and the member routes inside. */
export const ourApp = (use: UseCases, log: (line: string) => void): Koa => {
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    // Not the path: locators stand in it.
    log(`${ctx.method} ${ctx.status}`);
  });
  app.use(async (ctx, next) => {
    ctx.set('X-Served-By', 'our app');
    if (ctx.path !== '/version') return next();
    ctx.body = { version: '1.2.3' };
  });
  app.use(memberRoutes(use, { maxRequestBytes: 16_384 }));
  app.use((ctx) => {
    ctx.body = 'our pages';
  });
  return app;
};
