import { createServer, type Server } from 'node:http';
import { httpClaims, httpIdentity } from '@portico/adapters-http';
import { authenticate, getClaim, invalid, listClaims, problemOf, problemTypes } from '@portico/core';
import { err } from 'neverthrow';

export interface Settings {
  readonly issuer: string;
  readonly claimsUrl: string;
}

/** A service with three of Portico's use cases, without a container and without Koa. */
export const claimsService = ({ issuer, claimsUrl }: Settings): Server => {
  const member = authenticate(httpIdentity({ issuer, audience: ['portico'] }));
  const claims = httpClaims({ url: claimsUrl, timeoutMs: 3000 });
  const [list, get] = [listClaims(claims), getClaim(claims)];
  return createServer(async ({ method, url = '/', headers }, response) => {
    const send = (status: number, type: string, text: string) =>
      response.writeHead(status, { 'content-type': type, 'cache-control': 'private, no-store' }).end(text);
    const target = URL.parse(url, 'http://localhost');
    const [isClaims, locator] = /^\/claims(?:\/([^/]+))?$/.exec(target?.pathname ?? '') ?? [];
    if (target && isClaims === undefined) return send(404, 'text/plain', 'Not found\n');
    if (method !== 'GET') return send(405, 'text/plain', 'Only GET is supported\n');
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
    const result = await member(token).andThen((who) => {
      if (!target) return err(invalid('The request target is not valid.'));
      return locator === undefined ? list(who, target.searchParams) : get(who, locator);
    });
    result.match(
      ({ text }) => send(200, 'application/json', text),
      (failure) => {
        const problem = problemOf(failure);
        return send(problemTypes[problem.code].status, 'application/problem+json', JSON.stringify(problem));
      },
    );
  });
};
