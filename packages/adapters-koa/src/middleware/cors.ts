import cors from '@koa/cors';
import type { Middleware } from 'koa';

/**
 * Lets pages of these origins call us (CORS, Fetch Standard 3.3); nobody else's. Without credentials: the bearer token
 * is a header that the page sets, and no cookie means anything here.
 */
export const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: (ctx) => (origins.includes(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH'],
    allowHeaders: [
      'Authorization',
      'Content-Type',
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
