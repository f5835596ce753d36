import type { IncomingMessage, ServerResponse } from 'node:http';
import { clearCookie, type CookieNames, cookiesOf, setCookie } from './cookie-header.ts';

/** Browsers accept at least 4096 bytes for name, value and attributes together (RFC 6265, section 6.1). */
const maxChunkLength = 3900;

/** Three cookies. Node and most proxies refuse request headers of more than 16 KiB. */
export const maxCookieLength = 3 * maxChunkLength;

/** The cookies of a request that belong to the session. */
export interface SessionCookie {
  /** The joined value; undefined if it is absent, incomplete or ambiguous. */
  readonly value: string | undefined;
  /** The name of every session cookie that the browser sent, each once. */
  readonly names: readonly string[];
}

/** A name that occurs twice, a missing part, or a whole cookie beside parts leaves the value undefined. */
export const readSessionCookie = (request: IncomingMessage, { session }: CookieNames): SessionCookie => {
  const own = cookiesOf(request).filter(([name]) => isSessionCookie(name, session));
  const values = new Map(own);
  const names = [...values.keys()];
  if (values.size !== own.length) return { value: undefined, names };
  const whole = values.get(session);
  if (whole !== undefined) return { value: names.length === 1 ? whole : undefined, names };
  const parts = names.map((_, index) => values.get(`${session}.${index}`));
  const isComplete = parts.length > 0 && parts.every((part) => part !== undefined);
  return { value: isComplete ? parts.join('') : undefined, names };
};

export const isSessionCookie = (name: string, session: string): boolean =>
  name.startsWith(session) && /^(\.\d{1,2})?$/.test(name.slice(session.length));

/** Sets the cookie, in parts when it is large, and clears the parts of an earlier one; only if `isWanted` when the header is sent. */
export const writeSessionCookie = (
  response: ServerResponse,
  names: CookieNames,
  value: string,
  { names: present }: Pick<SessionCookie, 'names'>,
  isWanted?: () => boolean,
): void => {
  const parts =
    value.length <= maxChunkLength
      ? new Map([[names.session, value]])
      : new Map(
          Array.from({ length: Math.ceil(value.length / maxChunkLength) }, (_, index) => [
            `${names.session}.${index}`,
            value.slice(index * maxChunkLength, (index + 1) * maxChunkLength),
          ]),
        );
  for (const stale of present) if (!parts.has(stale)) clearCookie(response, names, stale, isWanted);
  for (const [name, part] of parts) setCookie(response, `${name}=${part}${names.attributes}`, isWanted);
};

export const clearSessionCookie = (
  response: ServerResponse,
  names: CookieNames,
  { names: present }: Pick<SessionCookie, 'names'>,
): void => {
  for (const name of present) clearCookie(response, names, name);
};
