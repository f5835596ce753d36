import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** An IP address, or a network as CIDR writes it (RFC 4632). */
export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** No private network is larger (RFC 1918, RFC 4193). */
const shortestPrefix = { ipv4: 8, ipv6: 7 };

/** Where IPv6 carries all IPv4 addresses: mapped (RFC 4291, section 2.5.5.2), and translated (RFC 6052, section 2.1). */
const allIPv4 = ['::ffff:0:0', '64:ff9b::'];
const shortestPrefixOfIPv4 = 96 + shortestPrefix.ipv4;

/**
 * The network of proxies that this string names. Undefined when it names none, or one that holds a large part of all
 * addresses, however it is written: by trusting it, `X-Forwarded-For` of every client would be believed.
 */
export const parseNetwork = (text: string): Network | undefined => {
  const [, address = '', given] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined) return undefined;
  const bits = family === 'ipv4' ? 32 : 128;
  const network = { address, prefix: Number(given ?? bits), family } as const;
  const least = allIPv4.some((all) => overlaps(network, all)) ? shortestPrefixOfIPv4 : shortestPrefix[family];
  return network.prefix >= least && network.prefix <= bits ? network : undefined;
};

const overlaps = ({ address, prefix, family }: Network, all: string): boolean => {
  if (family === 'ipv4' || prefix > 128) return false;
  const list = new BlockList();
  list.addSubnet(all, Math.min(96, prefix), 'ipv6');
  return list.check(address, 'ipv6');
};
