import { describe, expect, it } from 'vitest';
import { closedAddress } from '../../src/tools/fetch/address.ts';
import { createAllowList } from '../../src/tools/fetch/allow-list.ts';

describe('closed addresses', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'this host'],
    ['10.0.0.5', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['100.64.0.1', 'carrier-grade'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['::1', 'loopback'],
    ['::', 'this host'],
    ['::127.0.0.1', 'another notation'],
    ['::ffff:127.0.0.1', 'another notation'],
    ['::ffff:8.8.8.8', 'another notation'],
    ['::ffff:0:7f00:1', 'another notation'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a00:5', 'NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:1::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['fd00::1', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%lo', 'link-local'],
    ['ff02::1', 'multicast'],
    ['4000::1', 'reserved'],
    ['', 'not an IP'],
  ])('%s is %s', (address, what) => {
    expect(closedAddress(address)).toContain(what);
  });
  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '192.0.1.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is open',
    (address) => expect(closedAddress(address)).toBeNull(),
  );
});

describe('what an operator allows', () => {
  const allows = (entry: string, address: string, host: string, port = 80): boolean =>
    createAllowList([entry])(address, { host, port });

  it('an address, with or without a port', () => {
    expect(allows('10.0.0.5', '10.0.0.5', 'anything.test', 8080)).toBe(true);
    expect(allows('10.0.0.5', '10.0.0.6', '10.0.0.6')).toBe(false);
    expect(allows('127.0.0.1:8080', '127.0.0.1', 'localhost', 8080)).toBe(true);
    expect(allows('127.0.0.1:8080', '127.0.0.1', 'localhost', 8081)).toBe(false);
    expect(allows('::1', '::1', 'localhost')).toBe(true);
    expect(allows('[::1]:8080', '::1', 'localhost', 8080)).toBe(true);
    expect(allows('[::1]:8080', '::1', 'localhost', 80)).toBe(false);
  });
  it('a block, of its own family only', () => {
    expect(allows('10.1.0.0/16', '10.1.255.1', 'x')).toBe(true);
    expect(allows('10.1.0.0/16', '10.2.0.1', 'x')).toBe(false);
    expect(allows('fd00::/8', 'fd12::1', 'x')).toBe(true);
    expect(allows('::/0', '127.0.0.1', 'x')).toBe(false);
    expect(allows('0.0.0.0/0', '::1', 'x')).toBe(false);
  });
  it('a host by its name, not its neighbours or what merely resolves the same', () => {
    expect(allows('wiki.corp', '10.0.0.5', 'WIKI.corp.')).toBe(true);
    expect(allows('wiki.corp:8443', '10.0.0.5', 'wiki.corp', 443)).toBe(false);
    expect(allows('wiki.corp', '10.0.0.5', 'x.wiki.corp')).toBe(false);
    expect(allows('wiki.corp', '10.0.0.5', 'evil.test')).toBe(false);
  });
  it('an entry that is none of these allows nothing', () => {
    for (const entry of [
      '',
      '*',
      '10.0.0.0/99',
      'http://10.0.0.5',
      '10.0.0.5/8/8',
      '[::1',
      'a:b:c',
    ])
      expect(allows(entry, '10.0.0.5', '10.0.0.5')).toBe(false);
  });
});
