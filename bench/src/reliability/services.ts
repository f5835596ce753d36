import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The six services in one: what they answer says whose it is, and only to that member. */
export const services: RequestListener = (request, response) => {
  const path = request.url ?? '';
  const member = subjectOf(request);
  const [, asked = member] = /^\/(?:members|parties|preferences|consent)\/([^/?]+)/.exec(path) ?? [];
  if (asked !== member) response.writeHead(403).end();
  else if (request.headers.accept === 'application/pdf') sendPdf(response, member, path);
  else void sendJson(request, response, member, path);
};

/** Unverified: that is Portico's work. */
const subjectOf = ({ headers: { authorization = '' } }: IncomingMessage): string => {
  const [, claims = ''] = authorization.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly sub: string }).sub;
};

const sendJson = async (request: IncomingMessage, response: ServerResponse, member: string, path: string) => {
  request.resume();
  await once(request, 'end').catch(() => {});
  const padding = 'x'.repeat(path.endsWith('/accumulators') ? 100_000 : 600);
  const body = { locator: 'CLM-1', notifications: [], log: [], padding };
  response
    .writeHead(request.method === 'POST' ? 201 : 200, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ member, ...body }));
};

const chunk = Buffer.alloc(65_536, 0x20);

function* pdfOf(member: string, bytes: number) {
  const start = Buffer.from(`%PDF-1.7 ${member}\n`);
  yield start;
  for (let left = bytes - start.length; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}

/** As many KiB as the document's name says, no faster than they are taken. */
const sendPdf = (response: ServerResponse, member: string, path: string): void => {
  const bytes = Number(/\d+$/.exec(path)?.[0]) * 1024;
  response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': bytes });
  // Whoever leaves midway is no error here.
  pipeline(Readable.from(pdfOf(member, bytes)), response).catch(() => {});
};
