import { memberRoutes } from '@portico/adapters-koa';
import type { UseCases } from '@portico/core';
import Koa from 'koa';

/** An existing app with its middleware and routes, and Portico's member routes. */
export const ourApp = (use: UseCases, log: (line: string) => void): Koa => {
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    // Not the path: it may contain locators.
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
