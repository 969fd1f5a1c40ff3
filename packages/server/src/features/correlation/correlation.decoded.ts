/** Addresses, domains, files and hashes that only the decoded text of an event holds. */
import { isIP } from 'node:net';
import { parse } from 'tldts';
import { isInsideHost, isOutside } from './correlation.rules.ts';

interface Found {
  kind: 'destinationIp' | 'domain' | 'file' | 'hash';
  value: string;
}

const maxFound = 30;
const maxPaths = 300;
const maxText = 64 * 1024;

/** Version numbers look the same. */
const address = /(?<![\d.])(?<!version[ =:]{1,3})\d{1,3}(?:\.\d{1,3}){3}(?![\d.])/gi;
/** Global unicast and unique local alone: any other form is found in code as well (`face::dead`). */
const longAddress = /(?<![\w:.\]])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2})(?::[0-9a-f]{0,4}){2,7}(?![\w:.])/gi;
const hash = /(?<![\w])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?![\w])/gi;
/** Hosts of URLs, and names in quotes: types of .NET look like domains (`System.Net`). */
const host = /(?:\/\/(?:[^\s/@'"]{1,100}@)?|['"])([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})(?=[/:'"?#\s)]|$)/gi;
/** Hosts of UNC paths, also with the port or `SSL` of WebDAV (`\\\\host@SSL\\share`). */
const uncHost = /(?<![\w\\:%])\\\\(\w[\w.-]{0,254})(?=(?:@\w{1,5}){0,2}\\[\w$])/g;
/** Names as arguments: `nslookup c2.example.org`. */
const bareHost = /(?<![^\s,=@])([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8})(?=[\s:/;,|&)]|$)/gi;
/** Properties and files that look like a domain of two labels: `user.name`, `system.io`, `readme.md`. */
const isMember =
  /^(?:system\.(?:io|net)|[^.]+\.(?:call|data|date|download|email|events|host|id|link|map|md|name|new|open|page|play|ps|read|rs|run|search|select|stream))$/;
const extension = 'exe|dll|sys|ps1|psm1|bat|cmd|vbs|vbe|js|jse|hta|wsf|scr|msi|lnk|jar|sh|py|pl|so|zip|rar|7z|iso|img|docm|xlsm';
const files = [
  /(?<![\w\\:%])\\\\\w[\w.-]{0,254}(?:@\w{1,5}){0,2}\\[\w$][^\s'"<>|*?;,()]{0,250}/gi,
  /(?<![\w])[a-z]:\\[^\s'"<>|*?;,()]{1,250}/gi,
  /(?<![\w./:])\/(?:tmp|var|etc|usr|home|root|opt|dev\/shm|bin|mnt|srv)\/[\w./-]{1,250}/g,
  new RegExp(`(?<![\\w.-])[\\w-][\\w.-]{0,100}\\.(?:${extension})(?![\\w.])`, 'gi'),
];
const isFile = new RegExp(`\\.(?:${extension})$`, 'i');

/** Types of .NET have capitals and small letters (`System.Net`). */
const isBareHost = (name: string): boolean =>
  (name === name.toLowerCase() || name === name.toUpperCase()) && !isMember.test(name.toLowerCase());

/** @param original the same text as sent */
export function indicatorsIn(decoded: string, original: string): Found[] {
  const text = decoded.slice(0, maxText);
  const written = original.toLowerCase();
  const found = new Map<string, Found>();
  const add = (kind: Found['kind'], value: string) => {
    if (found.size < maxFound && !written.includes(value.toLowerCase())) found.set(`${kind} ${value}`, { kind, value });
  };
  for (const [value] of text.matchAll(address))
    if (isIP(value) === 4 && (isOutside(value) || isInsideHost(value))) add('destinationIp', value);
  for (const [value] of text.matchAll(longAddress)) if (isIP(value) === 6) add('destinationIp', value.toLowerCase());
  const addHost = (name: string) => {
    const { hostname, isIcann, isIp, domain } = parse(name);
    if (hostname !== null && isIcann && !isIp && domain !== null && !isFile.test(name)) add('domain', hostname);
  };
  for (const pattern of [host, uncHost, bareHost])
    for (const [, name = ''] of text.matchAll(pattern)) if (pattern !== bareHost || isBareHost(name)) addHost(name);
  for (const [value] of text.matchAll(hash)) add('hash', value.toLowerCase());
  const paths: string[] = [];
  for (const pattern of files)
    for (const [value] of text.matchAll(pattern)) {
      if (paths.length >= maxPaths) break;
      // The name of a file whose path stands there.
      if (paths.some((path) => path.endsWith(value))) continue;
      paths.push(value);
      add('file', value);
    }
  return [...found.values()];
}
