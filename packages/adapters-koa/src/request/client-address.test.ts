import { describe, expect, it } from 'vitest';
import { clientAddress, networkOf } from './client-address.ts';

const proxies = ['10.0.0.0/8', '192.0.2.7', '2001:db8:aaaa::/48', '::1'];

/** Whom a request is said to come from that this peer sends with this `X-Forwarded-For`. */
const seenFrom = (remoteAddress: string | undefined, forwarded?: string, trusted: readonly string[] = proxies) =>
  clientAddress(trusted)({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  });

describe('from an untrusted peer, a request comes from', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
  ])('whom the socket knows: %s', (peer, seen) => {
    expect(seenFrom(peer)).toBe(seen);
    expect(seenFrom(peer, undefined, [])).toBe(seen);
  });

  it.each(['203.0.113.9', '10.0.0.1', '127.0.0.1', '::1'])(
    'whom the socket knows, whatever the header says: %s',
    (forged) => {
      expect(seenFrom('198.51.100.1', forged)).toBe('198.51.100.1');
      for (const peer of ['10.0.0.1', '127.0.0.1', '::1']) expect(seenFrom(peer, forged, [])).toBe(peer);
    },
  );
});

describe('behind a proxy of ours, a request comes from', () => {
  it.each(['10.0.0.1', '10.255.255.255', '192.0.2.7', '::ffff:10.0.0.1', '2001:db8:aaaa:1::1', '::1'])(
    'whom the proxy has seen: %s',
    (peer) => {
      expect(seenFrom(peer, '198.51.100.1')).toBe('198.51.100.1');
    },
  );

  it.each(['11.0.0.1', '9.255.255.255', '192.0.2.8', '2001:db8:aaab::1', '::2', '::ffff:11.0.0.1'])(
    'nobody that an untrusted neighbour names: %s',
    (peer) => {
      expect(seenFrom(peer, '198.51.100.1')).not.toBe('198.51.100.1');
    },
  );

  it('whom the outermost proxy has seen, where there are several', () => {
    expect(seenFrom('10.0.0.1', '198.51.100.1, 192.0.2.7,10.0.0.2')).toBe('198.51.100.1');
    expect(seenFrom('::1', '2001:db8::1, 2001:db8:aaaa::1')).toBe('2001:db8::1');
  });

  it.each(['10.0.0.9', '203.0.113.9', '127.0.0.1', 'unknown', ''])(
    'nobody that the client has put in front: %s',
    (forged) => {
      expect(seenFrom('10.0.0.1', `${forged}, 198.51.100.1`)).toBe('198.51.100.1');
      expect(seenFrom('10.0.0.1', `${forged}, 198.51.100.1, 10.0.0.2`)).toBe('198.51.100.1');
    },
  );

  it('the innermost host, when it is one of our own', () => {
    expect(seenFrom('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
  });

  it('the proxy, when it names nobody', () => {
    expect(seenFrom('10.0.0.1')).toBe('10.0.0.1');
    expect(seenFrom('10.0.0.1', '')).toBe('10.0.0.1');
  });

  it.each(['unknown', '_hidden', '198.51.100', '0x7f000001', '2130706433', '198.51.100.1 x', '[::2', '<script>', '%'])(
    'the last one that can be read, when the next cannot: %s',
    (unreadable) => {
      expect(seenFrom('10.0.0.1', `198.51.100.1, ${unreadable}`)).toBe('10.0.0.1');
      expect(seenFrom('10.0.0.1', `198.51.100.1, ${unreadable}, 10.0.0.2`)).toBe('10.0.0.2');
    },
  );

  it.each([
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
  ])('an address, however it is written: %s', (written, address) => {
    expect(seenFrom('10.0.0.1', written)).toBe(address);
  });

  it('nobody that another header names', () => {
    const headers = { forwarded: 'for=198.51.100.1', 'x-real-ip': '198.51.100.1', 'x-client-ip': '198.51.100.1' };
    expect(clientAddress(proxies)({ socket: { remoteAddress: '10.0.0.1' }, headers })).toBe('10.0.0.1');
  });
});

describe('a large network of proxies', () => {
  it.each([
    ['10.0.0.0/8', '10.1.2.3'],
    ['fc00::/7', 'fd00::1'],
    ['::ffff:10.0.0.0/104', '10.1.2.3'],
    ['2001:db8::/32', '2001:db8::1'],
  ])('is trusted: %s', (network, peer) => {
    expect(seenFrom(peer, '198.51.100.1', [network])).toBe('198.51.100.1');
  });
});

describe('what is no network, or holds a large part of all addresses', () => {
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
  ])('is refused, not trusted: "%s"', (network) => {
    expect(() => clientAddress([network])).toThrow(
      `trustedProxies: "${network}" is neither an address nor a network such as 10.0.0.0/8, and no larger one`,
    );
  });
});

describe('what one subscriber has', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::1:2:3:4:5:6', '0:0:1:2::/64'],
    ['1::', '1:0:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
