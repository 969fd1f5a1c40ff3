/** Sets of IP networks. Two lists, because Node compares IPv4 addresses with IPv6 networks in one. */
import { BlockList, isIP } from 'node:net';

type Network = readonly [address: string, prefix: number];

/** Test for addresses in one of the networks; false for anything but an address. */
export function subnets(of4: readonly Network[], of6: readonly Network[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [address, prefix] of of4) lists.ipv4.addSubnet(address, prefix, 'ipv4');
  for (const [address, prefix] of of6) lists.ipv6.addSubnet(address, prefix, 'ipv6');
  return (address) => {
    const family = isIP(address);
    if (family === 0) return false;
    const kind = family === 4 ? 'ipv4' : 'ipv6';
    return lists[kind].check(address, kind);
  };
}
