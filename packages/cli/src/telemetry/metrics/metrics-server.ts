import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';

/** `GET /metrics` and nothing else, on a port of its own: figures are for us, not for members. */
export const metricsServer = (registry: Registry, onError: (error: unknown) => void): Server =>
  createServer(({ method = '', url = '' }, response) => {
    response.setHeader('Cache-Control', 'no-store');
    if (url.replace(/\?.*$/s, '') !== '/metrics') return response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        onError(error);
        response.writeHead(500).end();
      },
    );
  });
