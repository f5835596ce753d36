import cors from '@koa/cors';
import type { Middleware } from 'koa';

/**
 * Allows only pages of these origins to call the server (CORS, Fetch Standard 3.3). Credentials mode is not allowed: the
 * page sends the bearer token as a header, and cookies are not used.
 */
export const crossOrigin = (origins: readonly string[], methods: readonly string[]): Middleware =>
  cors({
    origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: [...new Set(['GET', 'HEAD', ...methods])],
    allowHeaders: [
      'Authorization',
      'Content-Type',
      'DPoP',
      'Idempotency-Key',
      'If-Match',
      'If-Modified-Since',
      'If-None-Match',
      'If-Range',
      'Range',
      'traceparent',
      'tracestate',
      'X-Request-Id',
    ],
    exposeHeaders: [
      'Accept-Ranges',
      'Content-Disposition',
      'Content-Range',
      'ETag',
      'Location',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: 600,
  });
