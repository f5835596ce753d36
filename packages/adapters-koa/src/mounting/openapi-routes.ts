import type { Middleware } from 'koa';
import { mountRoutes } from './mount.ts';
import { routeTable } from '../routes/table.ts';
import { openApiDocument, type OpenApiSettings } from './openapi-document.ts';

/** Serves `GET /openapi.json` and `GET /docs` for the given routes. Mount it with `app.use(openApiRoutes({ serves: ['member', 'document'] }))`. */
export const openApiRoutes = (settings: OpenApiSettings = {}, table = routeTable): Middleware =>
  mountRoutes(table.document, undefined, { document: () => openApiDocument(settings, table) });
