/** Addresses of callers against ranges in CIDR notation. */
import ipaddr from 'ipaddr.js';

/** True for an address in one of the ranges (CIDR or single addresses) and without ranges; false for text that is no address. Mapped IPv4 counts as IPv4. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((text) => {
    const [range, bits] = text.includes('/') ? ipaddr.parseCIDR(text) : [ipaddr.parse(text), undefined];
    if (range.kind() !== parsed.kind()) return false;
    return parsed.match(range, bits ?? (range.kind() === 'ipv4' ? 32 : 128));
  });
}
