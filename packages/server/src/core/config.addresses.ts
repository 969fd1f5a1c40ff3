/** Checks of addresses in settings. */
import { isIP, isIPv4 } from 'node:net';

/** A password with `#`, `/` or `?` ends the address early; errors of `new URL` would print it. */
export const isParsable = [
  (text: string) => URL.canParse(text),
  'is not a valid address. Write #, /, ? and @ of a password as %23, %2F, %3F and %40',
] as const;

/** An address, with a port if need be: 192.0.2.53, 192.0.2.53:5353, 2001:db8::53, [2001:db8::53]:5353. */
export function isDnsServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (isIP(text)) return true;
  if (port !== undefined && Number(port) > 65_535) return false;
  return bracketed !== undefined ? isIP(bracketed) === 6 : plain !== undefined && isIPv4(plain);
}
