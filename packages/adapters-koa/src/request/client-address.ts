import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net';
import { parseNetwork } from '../network.ts';

interface Request {
  readonly socket: Pick<Socket, 'remoteAddress'>;
  readonly headers: IncomingHttpHeaders;
}

/**
 * The address that a request came from, as the socket knows it. Where that is a proxy of ours, the right-most address of
 * `X-Forwarded-For` that is not one: each proxy appends who came to it, and what stands further left is whatever the
 * client wrote. No other header about where a request came from is believed (`Forwarded`, `X-Real-IP`,
 * `X-Forwarded-Host`, `-Proto`, `-Port`): we answer nothing by host or scheme. An address is personal data: count by it,
 * but put it in no log, no metric and no span.
 *
 * @param trustedProxies addresses, and networks such as `10.0.0.0/8`; without any, the header counts for nothing
 */
export const clientAddress = (trustedProxies: readonly string[] = []): ((request: Request) => string | undefined) => {
  const trusted = blockListOf(trustedProxies);
  const isTrusted = (address: string) => trusted.check(address, familyOf(address));
  return ({ socket, headers }) => {
    let address = socket.remoteAddress === undefined ? undefined : canonical(socket.remoteAddress);
    if (trustedProxies.length === 0 || address === undefined || !isTrusted(address)) return address;
    const forwarded = headers['x-forwarded-for'];
    for (const entry of typeof forwarded === 'string' ? forwarded.split(',').toReversed() : []) {
      const before = canonical(withoutPort(entry.trim()));
      // Beyond what cannot be read nothing can be trusted.
      if (before === undefined) return address;
      address = before;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
};

/** What one subscriber has: an IPv4 address, or a whole /64 of IPv6, in which hosts choose addresses as they like (RFC 4291, 2.5.4). */
export const networkOf = (address: string): string => {
  if (familyOf(address) === 'ipv4') return address;
  const [left = '', right = ''] = address.split('::');
  const [head, tail] = [left, right].map((groups) => (groups === '' ? [] : groups.split(':'))) as [string[], string[]];
  const zeros = Array.from({ length: address.includes('::') ? 8 - head.length - tail.length : 0 }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
};

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');

/** One spelling for each address (RFC 5952); an IPv4 address also where IPv6 carries it (RFC 4291, section 2.5.5.2). */
const canonical = (address: string): string | undefined => {
  if (isIP(address) === 0) return undefined;
  const { address: spelled } = new SocketAddress({ address, family: familyOf(address) });
  return spelled.startsWith('::ffff:') && spelled.includes('.') ? spelled.slice(7) : spelled;
};

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (entry: string): string =>
  /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[\d.]+))(?::\d{1,5})?$/.exec(entry)?.slice(1).find(Boolean) ?? entry;

const blockListOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const text of networks) {
    const network = parseNetwork(text);
    if (!network)
      throw new TypeError(
        `trustedProxies: "${text}" is neither an address nor a network such as 10.0.0.0/8, and no larger one`,
      );
    list.addSubnet(network.address, network.prefix, network.family);
  }
  return list;
};
