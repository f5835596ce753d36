/** Whether a URL names this machine: `localhost`, a name below it, `127.0.0.0/8` or `[::1]`. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(?:\.\d{1,3}){3}$/.test(hostname);

/** Parses a URL that is https, or http on loopback. Throws a TypeError that names it by `what` only. */
export const secureUrl = (text: string, what: string): URL => {
  const url = URL.parse(text);
  if (!url || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    throw new TypeError(`sessions: ${what} must be an https URL, or an http URL on loopback`);
  return url;
};
