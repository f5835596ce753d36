import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/** Creates the server of `GET /metrics`. It has a separate port so that members cannot reach it. */
export const metricsServer = (registry: Registry, onError: (error: unknown) => void): Server =>
  createServer(({ method = '', url = '' }, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (url.replace(/\?.*$/s, '') !== '/metrics') return response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return registry.metrics().then(
      (body) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(body),
      (error: unknown) => {
        onError(error);
        response.writeHead(500).end();
      },
    );
  });
