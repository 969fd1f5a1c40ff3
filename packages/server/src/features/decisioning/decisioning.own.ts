/** Commands that contact the client's own domain and nothing else. */
import { parse } from 'tldts';

/** Domains under which a provider names the machines of all its customers. */
const ofProvider =
  /(?:^|\.)(?:amazonaws\.com|(?:compute|ec2|google)\.internal|c\.[^.]{1,63}\.internal|cloudapp\.net|azure\.com|azure\.net|windows\.net|googleusercontent\.com|oraclevcn\.com|linode\.com|your-server\.de|ovh\.net|contaboserver\.net)$/i;

/** Domain of a device, behind its own name; undefined for a public suffix, a provider's names and names of one part. */
function domainOf(device: string): string | undefined {
  const cut = device.indexOf('.');
  const domain = device.slice(cut + 1).toLowerCase();
  const { domain: registered, isPrivate, isIp } = parse(device, { allowPrivateDomains: true });
  const isOwn = cut > 0 && registered !== null && !isPrivate && isIp !== true;
  return isOwn && (domain === registered || domain.endsWith(`.${registered}`)) && !ofProvider.test(domain) ? domain : undefined;
}

const links = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s'"`<>|;()]{1,2048}/gi;

/** A name, an account at a name, or a share, outside of a link. */
const bareHost = /^(?:\\\\|[^\s@\\/]{0,100}@)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z0-9-]{1,63})(?=[:/\\]|$)/i;

/** True for a name under a public suffix and for an address; file names that pass for such names count as well. */
function isHost(word: string): boolean {
  if (word.startsWith('\\\\') || word.includes('@') || word.includes('[')) return true;
  const name = bareHost.exec(word)?.[1];
  if (name === undefined) return false;
  const { isIcann, isIp } = parse(name);
  return isIcann === true || isIp === true;
}

/** True if a command has links, all of them to hosts of the device's own domain and without accounts, and names no other host. */
export function isOwnDomain(name: string, device: string): boolean {
  const domain = domainOf(device);
  const found = domain === undefined ? [] : (name.match(links) ?? []);
  const isOwn = (link: string) => {
    // Programs read backslashes in links otherwise than this parser.
    const url = link.includes('\\') ? null : URL.parse(link);
    return url !== null && url.username === '' && url.password === '' && url.hostname.toLowerCase().endsWith(`.${domain}`);
  };
  const rest = name.replace(links, ' ').split(/[\s'"`<>|;(),=]+/);
  return found.length > 0 && found.every(isOwn) && !rest.some((word) => word.includes('://') || isHost(word));
}
