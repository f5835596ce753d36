/** Fastify with @fastify/reply-from and jose, as in their documentation. Arguments: JWKS URL and downstream URL. */
import replyFrom from '@fastify/reply-from';
import Fastify from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { AddressInfo } from 'node:net';

const [jwks = '', base = ''] = process.argv.slice(2);
const keys = createRemoteJWKSet(new URL(jwks));
const app = Fastify();
await app.register(replyFrom, { base });

const subjectOf = async (authorization: string | undefined): Promise<string | undefined> => {
  try {
    const { payload } = await jwtVerify(authorization?.replace(/^Bearer /, '') ?? '', keys, {
      issuer: 'https://bench.example',
      audience: 'portico',
    });
    return payload.sub;
  } catch {
    return undefined;
  }
};

for (const [route, path] of [
  ['/me/coverage', 'coverage'],
  ['/me/accumulators', 'accumulators'],
  ['/me/documents/:locator', 'documents'],
] as const)
  app.get<{ Params: { locator?: string } }>(route, async (request, reply) => {
    const subject = await subjectOf(request.headers.authorization);
    if (subject === undefined) return reply.code(401).send();
    const { locator } = request.params;
    return reply.from(`/members/${encodeURIComponent(subject)}/${path}${locator === undefined ? '' : `/${locator}`}`);
  });

await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`);
