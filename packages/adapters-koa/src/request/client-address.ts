import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, type Socket, SocketAddress } from 'node:net';
import proxyAddr from 'proxy-addr';
import { isProxyNetwork } from './network.ts';

interface Request {
  readonly socket: Pick<Socket, 'remoteAddress'>;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Returns a function that determines the client's IP address for rate limits: that of the socket or, if the socket
 * belongs to a trusted proxy, the right-most entry of `X-Forwarded-For` that is not a trusted proxy. Each proxy appends
 * its peer; entries further left are under the client's control. `Forwarded`, `X-Real-IP` and the like are ignored. An
 * address is personal data: it may be counted, but not logged, measured or traced.
 *
 * @param trustedProxies addresses, and networks such as `10.0.0.0/8`; without any, the header is ignored
 */
export const clientAddress = (trustedProxies: readonly string[]): ((request: Request) => string | undefined) => {
  const isInTrustedNetwork = proxyAddr.compile(trustedProxies.map(checkedNetwork));
  // `proxy-addr` also accepts legacy notations such as `0x7f000001`, which no proxy writes.
  const isTrusted = (address: string, hop: number) => isIP(address) !== 0 && isInTrustedNetwork(address, hop);
  return ({ socket, headers }) => {
    const entries = headers['x-forwarded-for']?.toString().split(',').map(withoutPort);
    const forwarded: IncomingHttpHeaders = { 'x-forwarded-for': entries?.join() };
    const addresses = proxyAddr.all({ socket, headers: forwarded } as IncomingMessage, isTrusted);
    // If the last entry is not an address, the one before it is the last one that a trusted proxy appended.
    return addresses.map(canonical).findLast((address) => address !== undefined);
  };
};

/** The network of one subscriber: an IPv4 address, or the /64 of an IPv6 address, within which hosts choose freely (RFC 4291, section 2.5.4). */
export const networkOf = (address: string): string => {
  if (familyOf(address) === 'ipv4') return address;
  const [left = '', right = ''] = address.split('::');
  const [head, tail] = [left, right].map((groups) => (groups === '' ? [] : groups.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: address.includes('::') ? 8 - head.length - tail.length : 0 }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
};

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Normalizes an address (RFC 5952). An IPv4-mapped IPv6 address becomes IPv4 (RFC 4291, section 2.5.5.2). */
const canonical = (address: string | undefined): string | undefined => {
  if (address === undefined || isIP(address) === 0) return undefined;
  // An IPv4 address has one form. A `SocketAddress` takes 10 µs.
  if (isIP(address) === 4) return address;
  const { address: normalized } = new SocketAddress({ address, family: familyOf(address) });
  return normalized.startsWith('::ffff:') && normalized.includes('.') ? normalized.slice(7) : normalized;
};

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/.exec(entry.trim())?.slice(1).find(Boolean) ?? entry;

const checkedNetwork = (network: string): string => {
  if (isProxyNetwork(network)) return network;
  throw new TypeError(
    `trustedProxies: "${network}" must be an IP address or a network no larger than 10.0.0.0/8 or fc00::/7`,
  );
};
