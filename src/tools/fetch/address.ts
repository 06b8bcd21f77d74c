// Which addresses do not belong to the open Internet, and what they are. Pure; knows nothing of names.
// Never trusts a notation: an address that embeds another one (mapped, NAT64, 6to4) is refused as a whole.
import { BlockList, isIP } from 'node:net';

const CLOSED_V4: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['0.0.0.0', 8, 'an address of this host'],
  ['10.0.0.0', 8, 'a private address'],
  ['100.64.0.0', 10, 'a carrier-grade NAT address'],
  ['127.0.0.0', 8, 'a loopback address'],
  ['169.254.0.0', 16, 'a link-local address'],
  ['172.16.0.0', 12, 'a private address'],
  ['192.0.0.0', 24, 'a reserved address'],
  ['192.0.2.0', 24, 'a reserved address'],
  ['192.88.99.0', 24, 'a reserved address'],
  ['192.168.0.0', 16, 'a private address'],
  ['198.18.0.0', 15, 'a reserved address'],
  ['198.51.100.0', 24, 'a reserved address'],
  ['203.0.113.0', 24, 'a reserved address'],
  ['224.0.0.0', 4, 'a multicast address'],
  ['240.0.0.0', 4, 'a reserved address'],
];
const CLOSED_V6: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['::1', 128, 'a loopback address'],
  ['::', 128, 'an address of this host'],
  ['::ffff:0:0', 96, 'an IPv4 address in another notation'],
  ['::ffff:0:0:0', 96, 'an IPv4 address in another notation'],
  ['::', 96, 'an IPv4 address in another notation'],
  ['64:ff9b::', 96, 'an IPv4 address behind NAT64'],
  ['64:ff9b:1::', 48, 'an IPv4 address behind NAT64'],
  ['2001::', 23, 'a reserved address'],
  ['2001:db8::', 32, 'a reserved address'],
  ['2002::', 16, 'an IPv4 address behind 6to4'],
  ['3fff::', 20, 'a reserved address'],
  ['fc00::', 7, 'a private address'],
  ['fe80::', 10, 'a link-local address'],
  ['fec0::', 10, 'a private address'],
  ['ff00::', 8, 'a multicast address'],
];

function listOf(network: string, bits: number, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list;
}
const V4 = CLOSED_V4.map(([net, bits, what]) => ({ list: listOf(net, bits, 'ipv4'), what }));
const V6 = CLOSED_V6.map(([net, bits, what]) => ({ list: listOf(net, bits, 'ipv6'), what }));
/** Where every address of the open Internet lies today. */
const GLOBAL_V6 = listOf('2000::', 3, 'ipv6');

/** What a closed address is, e.g. `a private address`; null when it is of the open Internet. */
export function closedAddress(address: string): string | null {
  const family = isIP(address);
  if (family === 4) return V4.find(({ list }) => list.check(address, 'ipv4'))?.what ?? null;
  if (family !== 6) return 'not an IP address';
  if (address.includes('%')) return 'a link-local address';
  const closed = V6.find(({ list }) => list.check(address, 'ipv6'))?.what;
  return closed ?? (GLOBAL_V6.check(address, 'ipv6') ? null : 'a reserved address');
}
