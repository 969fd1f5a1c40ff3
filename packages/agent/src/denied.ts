/**
 * Deny list for file collection: private keys, password hashes, keytabs and the agent's own state. Only this host's
 * configuration (`collectable` in agent.json) allows an exception, except for the agent's own files. Checks the real path, the
 * inode (hard links and bind mounts have other paths) and the first bytes (copies have other names).
 */
import { readdirSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readText, statOf } from './files.ts';

/** Patterns for the lower-cased real path; some file systems are case-insensitive. */
const deniedPaths: readonly [pattern: RegExp, what: string][] = [
  [/(^|\/)(g?shadow|opasswd|master\.passwd|security\/passwd)([-~.].*)?$/, 'It holds password hashes'],
  [/\/\.ssh\/(?!(authorized_keys|known_hosts|config)[^/]*$)(?!.*\.pub$)/, 'It may be a private key of a user'],
  [/(^|\/)ssh_host_[^/]*_key([-~.](?!pub$)[^/]*)?$/, 'It is a private key of this host'],
  [/(^|\/)id_(rsa|dsa|ecdsa|ed25519)(_sk)?([-~.](?!pub$)[^/]*)?$/, 'It may be a private key'],
  [/\.(keytab|key|ppk|p12|pfx|jks|keystore|kdbx)([-~][^/]*)?$/, 'It may be a private key or a key store'],
  [/(^|\/)krb5(kdc\/|cc_|\.keytab)/, 'It holds Kerberos keys'],
  [/\/(ssl|tls|pki)\/private\//, 'It may be a private key'],
  [/\/letsencrypt\/(archive|keys|live|accounts)\//, 'It may be a private key'],
  [/\/\.gnupg\/(private-keys|secring)/, 'It is a private key of a user'],
];
/** Files denied under any name. */
const knownFiles = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/security/opasswd', '/etc/krb5.keytab'];
/** Folders whose files are denied when they match the patterns above. */
const knownFolders = ['/etc/ssh', '/etc/ssl/private', '/etc/pki/tls/private'];
const maxInFolder = 1_000;
const inspectedBytes = 64 * 1024;
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----|PuTTY-User-Key-File-\d/;

const deniedBy = (path: string): string | undefined => {
  const lower = path.toLowerCase();
  return deniedPaths.find(([pattern]) => pattern.test(lower))?.[1];
};
const isSame = (a: Stats, b: Stats | undefined): boolean => b !== undefined && a.dev === b.dev && a.ino === b.ino;
const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .slice(0, maxInFolder)
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
};
/** Home directories from /etc/passwd. */
const homes = (): string[] => [
  ...new Set(
    readText('/etc/passwd')
      .split('\n')
      .map((line) => line.split(':')[5] ?? '')
      .filter((home) => home.startsWith('/') && home !== '/')
      .slice(0, maxInFolder),
  ),
];
const known = (): string[] => [
  ...knownFiles,
  ...knownFolders.flatMap(filesIn).filter((path) => deniedBy(path) !== undefined),
  ...homes().flatMap((home) => filesIn(join(home, '.ssh')).filter((path) => deniedBy(path) !== undefined)),
];

/** Reason that an open file must not be collected; undefined if collection is allowed. `real`: path without links. */
export async function denial(
  file: FileHandle,
  real: string,
  { state, collectable }: { state: string; collectable: readonly string[] },
): Promise<string | undefined> {
  const stats = await file.stat();
  const own = resolve(state);
  if (`${real}/`.startsWith(`${own}/`) || filesIn(own).some((path) => isSame(stats, statOf(path))))
    return 'This is the agent’s own.';
  if (collectable.includes(real)) return undefined;
  const what =
    deniedBy(real) ??
    (known().some((path) => isSame(stats, statOf(path)))
      ? 'It is a file with keys or password hashes under another name'
      : undefined) ??
    (privateKey.test(await startOf(file)) ? 'It holds a private key' : undefined);
  return what && `${what}: the agent’s deny list keeps it on this host. Only this host’s own configuration can open it.`;
}

async function startOf(file: FileHandle): Promise<string> {
  const bytes = Buffer.alloc(inspectedBytes);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
  return bytes.toString('latin1', 0, bytesRead);
}
