import { loopbackHosts } from '../defaults.ts';

/** Parses a URL that is https, or http on loopback. Throws a TypeError that names it by `what` only. */
export const secureUrl = (text: string, what: string): URL => {
  const url = URL.parse(text);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.has(url.hostname))))
    throw new TypeError(
      `sessions: ${what} must be an https URL, or an http URL whose host is one of ${[...loopbackHosts].join(', ')}`,
    );
  return url;
};
