import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf } from './client-address.ts';

const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8:aaaa::/48', '::1'];

/** Returns the client address of a request from this peer with this `X-Forwarded-For`. */
const addressOf = (remoteAddress: string | undefined, forwarded?: string, trusted: readonly string[] = proxies) =>
  clientAddress(trusted)({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('client address without a trusted proxy', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
  ])('uses the normalized address of the socket without a trusted proxy: %s', (peer, seen) => {
    expect(addressOf(peer)).toBe(seen);
    expect(addressOf(peer, undefined, [])).toBe(seen);
  });

  it.each(['203.0.113.9', '10.0.0.1', '127.0.0.1', '::1'])(
    'ignores X-Forwarded-For from an untrusted peer: %s',
    (forged) => {
      expect(addressOf('198.51.100.1', forged)).toBe('198.51.100.1');
      for (const peer of ['10.0.0.1', '127.0.0.1', '::1']) expect(addressOf(peer, forged, [])).toBe(peer);
    },
  );
});

describe('client address behind a trusted proxy', () => {
  it.each(['10.0.0.1', '10.255.255.255', '192.0.2.7', '::ffff:10.0.0.1', '2001:db8:aaaa:1::1', '::1'])(
    'uses the entry that a trusted proxy appended: %s',
    (peer) => {
      expect(addressOf(peer, '198.51.100.1')).toBe('198.51.100.1');
    },
  );

  it.each(['11.0.0.1', '9.255.255.255', '192.0.2.8', '2001:db8:aaab::1', '::2', '::ffff:11.0.0.1'])(
    'ignores X-Forwarded-For from an address next to a trusted network: %s',
    (peer) => {
      expect(addressOf(peer, '198.51.100.1')).not.toBe('198.51.100.1');
    },
  );

  it('uses the entry that the outermost trusted proxy appended', () => {
    expect(addressOf('10.0.0.1', '198.51.100.1, 192.0.2.7,10.0.0.2')).toBe('198.51.100.1');
    expect(addressOf('::1', '2001:db8::1, 2001:db8:aaaa::1')).toBe('2001:db8::1');
  });

  it.each(['10.0.0.9', '203.0.113.9', '127.0.0.1', 'unknown', ''])(
    'ignores entries that the client has forged: %s',
    (forged) => {
      expect(addressOf('10.0.0.1', `${forged}, 198.51.100.1`)).toBe('198.51.100.1');
      expect(addressOf('10.0.0.1', `${forged}, 198.51.100.1, 10.0.0.2`)).toBe('198.51.100.1');
    },
  );

  it('uses the left-most entry if all entries are trusted', () => {
    expect(addressOf('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  });

  it('uses the address of the proxy if X-Forwarded-For is missing or empty', () => {
    expect(addressOf('10.0.0.1')).toBe('10.0.0.1');
    expect(addressOf('10.0.0.1', '')).toBe('10.0.0.1');
  });

  it.each(['unknown', '_hidden', '198.51.100', '0x7f000001', '2130706433', '198.51.100.1 x', '[::2', '<script>', '%'])(
    'uses the last address to the right of an invalid entry: %s',
    (unreadable) => {
      expect(addressOf('10.0.0.1', `198.51.100.1, ${unreadable}`)).toBe('10.0.0.1');
      expect(addressOf('10.0.0.1', `198.51.100.1, ${unreadable}, 10.0.0.2`)).toBe('10.0.0.2');
    },
  );

  it.each([
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
  ])('parses entries with port, brackets or IPv4-mapped notation: %s', (written, address) => {
    expect(addressOf('10.0.0.1', written)).toBe(address);
  });

  it('ignores Forwarded, X-Real-IP and X-Client-IP', () => {
    const headers = { forwarded: 'for=198.51.100.1', 'x-real-ip': '198.51.100.1', 'x-client-ip': '198.51.100.1' };
    expect(clientAddress(proxies)({ socket: { remoteAddress: '10.0.0.1' }, headers })).toBe('10.0.0.1');
  });
});

describe('large trusted networks', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3'],
    ['fc00::/7', 'fd00::1'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['2001:db8::/32', '2001:db8::1'],
  ])('accepts a trusted network of the maximum size: %s', (network, peer) => {
    expect(addressOf(peer, '198.51.100.1', [network])).toBe('198.51.100.1');
  });
});

describe('invalid and oversized trusted networks', () => {
  it.each([
    '',
    'localhost',
    '10.0.0.0/',
    '10.0.0.0/0',
    '::/0',
    '0.0.0.0/0',
    '0.0.0.0/1',
    '128.0.0.0/1',
    '8.0.0.0/7',
    '::/1',
    '::/64',
    '::/80',
    '2000::/3',
    '0:0:0:0:0:ffff:0:0/96',
    '::ffff:0:0/80',
    '::ffff:0:0/96',
    '::FFFF:0.0.0.0/96',
    '::ffff:128.0.0.0/97',
    '::ffff:10.0.0.0/103',
    '64:ff9b::/96',
    '64:ff9b::/32',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/+8',
    '10.0/8',
    'fe80::1%eth0',
  ])('throws for an invalid or oversized trusted network: "%s"', (network) => {
    expect(() => clientAddress([network])).toThrow(
      `trustedProxies: "${network}" must be an IP address or a network no larger than 10.0.0.0/8 or fc00::/7`,
    );
  });
});

describe('network of a subscriber', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::1:2:3:4:5:6', '0:0:1:2::/64'],
    ['1::', '1:0:0:0::/64'],
  ])('groups the address %s into the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
