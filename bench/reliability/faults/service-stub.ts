import type { RequestListener } from 'node:http';
import { decodeJwt } from 'jose';

const padding = Buffer.alloc(16 * 1024 * 1024, 0x20);

/** All six downstream services. Responses name the member they belong to; another member's data is refused with 403. */
export const serviceStub: RequestListener = (request, response) => {
  const { url: path = '', method, headers } = request;
  // Not verified here: the system under test has verified the token.
  const { sub: member = '' } = decodeJwt(headers.authorization?.slice('Bearer '.length) ?? '');
  const [, requested = member] = /^\/(?:members|parties|preferences|consent)\/([^/?]+)/.exec(path) ?? [];
  if (requested !== member) {
    response.writeHead(403).end();
  } else if (headers.accept === 'application/pdf') {
    // The name of the document contains its size in KiB.
    const start = Buffer.from(`%PDF-1.7 ${member}\n`);
    const bytes = Number(/\d+$/.exec(path)?.[0]) * 1024;
    response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': bytes });
    response.write(start);
    response.end(padding.subarray(0, bytes - start.length));
  } else {
    const filler = 'x'.repeat(path.endsWith('/accumulators') ? 100_000 : 600);
    const body = JSON.stringify({ member, locator: 'CLM-1', notifications: [], log: [], filler });
    response.writeHead(method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' });
    request.resume().once('end', () => response.end(body));
  }
};
