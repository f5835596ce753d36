import { BlockList, isIP } from 'node:net';
import { fromThrowable } from 'neverthrow';

/** Returns the URL of the proxy for requests to an origin such as `https://claims.internal`; undefined: no proxy. */
export type ProxySelector = (origin: string) => string | undefined;

/** Sends the requests to every origin through one proxy. Throws a TypeError, without the URL, if `url` is not valid. */
export const fixedProxy = (url: string): ProxySelector => {
  const proxy = proxyUrl(url);
  return () => proxy;
};

/**
 * Reads the customary variables once: `HTTPS_PROXY` for https origins, `HTTP_PROXY` for http ones, and `NO_PROXY` for
 * exceptions. A lower-case name comes first. Throws a TypeError that names the variable, but not its value, when a proxy
 * is not an http or https URL. Returns undefined when no proxy is set.
 */
export const environmentProxy = (
  variables: Readonly<Record<string, string | undefined>>,
): ProxySelector | undefined => {
  const read = (name: string) => variables[name.toLowerCase()] || variables[name];
  const proxyIn = (name: string) => {
    const value = read(name);
    return value ? proxyUrl(value.includes('://') ? value : `http://${value}`, name) : undefined;
  };
  const proxies = { 'https:': proxyIn('HTTPS_PROXY'), 'http:': proxyIn('HTTP_PROXY') };
  if (!proxies['https:'] && !proxies['http:']) return undefined;
  const isException = exceptions(read('NO_PROXY') ?? '');
  return (origin) => {
    const url = new URL(origin);
    return isException(url) ? undefined : proxies[url.protocol as 'http:' | 'https:'];
  };
};

/** Checks the URL of a proxy. The error does not contain it, because it may have a password. */
const proxyUrl = (value: string, name = 'The proxy'): string => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || fromThrowable(decodeURIComponent)(url.username + url.password).isErr())
    throw new TypeError(`${name} must be an http or https URL.`);
  return value;
};

type IsException = (url: URL) => boolean;

/**
 * Parses `NO_PROXY`: host names, which include their subdomains, IP addresses and networks (`10.0.0.0/8`), each with an
 * optional port, or `*` for every host. Entries are separated by commas or spaces.
 */
const exceptions = (list: string): IsException => {
  const rules = (list.toLowerCase().match(/[^\s,]+/g) ?? []).map(exception);
  return (url) => rules.some((rule) => rule(url));
};

const exception = (entry: string): IsException => {
  const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [
    undefined,
    undefined,
    entry,
  ];
  const isHost = hostRule(bracketed ?? name ?? '');
  return (url) => (port === undefined || portOf(url) === port) && isHost(hostOf(url));
};

const hostRule = (name: string): ((host: string) => boolean) => {
  if (name === '*') return () => true;
  const [address = '', prefix] = name.split('/', 2);
  if (isIP(address) > 0) return addressRule(address, prefix);
  const domain = withoutDot(name.replace(/^\*?\./, ''));
  return (host) => host === domain || host.endsWith(`.${domain}`);
};

const addressRule = (address: string, prefix = isIP(address) === 4 ? '32' : '128'): ((host: string) => boolean) => {
  const family = familyOf(address);
  const addresses = new BlockList();
  try {
    // Number('') is 0, which is every address.
    addresses.addSubnet(address, prefix === '' ? NaN : Number(prefix), family);
  } catch {
    // An invalid network contains no address.
  }
  return (host) => isIP(host) > 0 && addresses.check(host, familyOf(host));
};

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

const hostOf = ({ hostname }: URL): string => withoutDot(hostname.replace(/^\[(.+)\]$/, '$1'));

/** `example.com.` and `example.com` are the same name. */
const withoutDot = (name: string): string => name.replace(/\.$/, '');
