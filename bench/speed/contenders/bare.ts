/** The floor: `node:http` and `undici.request` without any check. Arguments: JWKS URL (ignored) and downstream URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

const base = process.argv[3] ?? '';

const server = createServer((incoming, response) => {
  const path = incoming.url?.slice('/me/'.length) ?? '';
  request(`${base}/members/PTY-1/${path}`).then(
    ({ statusCode, headers, body }) => {
      response.writeHead(statusCode, headers);
      body.pipe(response);
    },
    () => response.writeHead(502).end(),
  );
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`);
});
