import type { IncomingMessage } from 'node:http';
import { csrfHeader } from '@portico/core';
import { cookiePairs } from '../cookies/cookie-header.ts';

/**
 * The path of the request target as it was sent, without the query (RFC 9112, section 3.2). Its dot segments stay: programs
 * in front, such as rate limits, do not resolve them either.
 */
export const pathOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): string =>
  /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?(\/[^?#]*)/i.exec(url)?.[1] ?? '';

export const queryOf = ({ url = '' }: Pick<IncomingMessage, 'url'>): URLSearchParams =>
  new URLSearchParams(/^[^?#]*\?([^#]*)/.exec(url)?.[1] ?? '');

/** Whether the path is one of these, or below one. */
export const isBelow = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => path === root || path.startsWith(`${root}/`));

/**
 * Puts the access token into the request, in place of the cookies of the session; without a token only removes the cookies.
 * Cookies of other programs stay.
 */
export const replaceCredentials = (
  request: IncomingMessage,
  accessToken: string | undefined,
  isOwnCookie: (name: string) => boolean,
): void => {
  // Node derives both objects from `rawHeaders` at first use, so they are read before it changes. Its compatibility API for
  // HTTP/2 has no `headersDistinct`.
  const { headers, rawHeaders } = request;
  const distinct = request.headersDistinct as IncomingMessage['headersDistinct'] | undefined;
  const cookie = cookiePairs(headers.cookie)
    .filter((pair) => pair !== '' && !isOwnCookie(pair.split('=', 1)[0]!))
    .join('; ');
  const others = rawHeaders.filter((_, index) => rawHeaders[index - (index % 2)]!.toLowerCase() !== 'cookie');
  const authorization = accessToken === undefined ? undefined : `Bearer ${accessToken}`;
  // Some programs read `rawHeaders`, and some `headers`.
  replace(rawHeaders, [
    ...others,
    ...(cookie === '' ? [] : ['Cookie', cookie]),
    ...(authorization === undefined ? [] : ['Authorization', authorization]),
  ]);
  set(headers, 'cookie', cookie === '' ? undefined : cookie);
  set(headers, 'authorization', authorization);
  if (!distinct) return;
  set(distinct, 'cookie', cookie === '' ? undefined : [cookie]);
  set(distinct, 'authorization', authorization === undefined ? undefined : [authorization]);
};

const replace = (list: string[], items: readonly string[]): void => void list.splice(0, list.length, ...items);

const set = <T>(fields: Record<string, T | undefined>, name: string, value: T | undefined): void => {
  if (value === undefined) delete fields[name];
  else fields[name] = value;
};

const csrfField = csrfHeader.toLowerCase();

/** Whether a request that changes something may come from another site (contract, section 11). */
export const isCrossSite = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean => {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  return headers[csrfField] !== '1' || (site !== undefined && site !== 'same-origin');
};

/** Reads the body as text; undefined if it has more bytes. Rejects if the connection breaks. */
export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<string | undefined> => {
  // Without this option, the connection would be closed before the response.
  const bytes = await readAtMost(request.iterator({ destroyOnReturn: false }), maxBytes);
  // Discards the rest of a body that is too large: the next request on the connection comes after it.
  if (!bytes) request.resume();
  return bytes?.toString('utf8');
};

/** Reads a whole body; undefined if it has more bytes. */
export const readAtMost = async (body: AsyncIterable<Uint8Array>, maxBytes: number) => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
