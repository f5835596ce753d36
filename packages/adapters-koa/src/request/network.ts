import { BlockList, isIP } from 'node:net';

/** IPv6 prefixes that embed all IPv4 addresses: mapped (RFC 4291, section 2.5.5.2) and translated (RFC 6052, section 2.1). */
const allIPv4 = ['::ffff:0:0', '64:ff9b::'];

/**
 * True for an IP address, and for a network in CIDR notation (RFC 4632) that is not larger than a private network can be
 * (RFC 1918, RFC 4193). If a network with a large part of all addresses were trusted, so would be the
 * `X-Forwarded-For` of every client; this also applies to IPv4 networks written as IPv6.
 */
export const isProxyNetwork = (network: string): boolean => {
  const [, address = '', length] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(network) ?? [];
  const version = isIP(address);
  if (version === 0) return false;
  const bits = version === 4 ? 32 : 128;
  const prefix = Number(length ?? bits);
  if (prefix > bits) return false;
  if (version === 4) return prefix >= 8;
  return prefix >= (overlapsIPv4(address, prefix) ? 96 + 8 : 7);
};

const overlapsIPv4 = (address: string, prefix: number): boolean => {
  const list = new BlockList();
  for (const all of allIPv4) list.addSubnet(all, Math.min(96, prefix), 'ipv6');
  return list.check(address, 'ipv6');
};
