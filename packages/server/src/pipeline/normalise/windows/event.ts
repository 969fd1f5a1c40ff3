/**
 * Shared parts of the Windows tables: one event with its `winlog.event_data`, and the accounts, hashes, processes and files
 * that many events carry under the same names. Windows’ own field names stay; ECS fields are added.
 */
import type { Document } from '../../event.ts';
import { baseName, fill, folderOf, isObject, type Kind, kind, known, number, type Outcome, section } from '../doc.ts';

export interface WindowsEvent {
  document: Document;
  /** `winlog.event_data` with the provider’s names and values. */
  data: Document;
  id: number;
  channel: string;
  provider: string;
}

/** One row of a table: category of the event, fields to fill, and its summary. */
export interface Row {
  kind: Kind;
  fill?: (event: WindowsEvent) => void;
  summarise?: (event: WindowsEvent) => string | undefined;
}

export type Table = Map<number, Row>;
export type Summarise = NonNullable<Row['summarise']>;

export const rowOf = (
  category: string,
  type: string,
  action: string,
  fill: Row['fill'],
  summarise: Summarise,
  outcome?: Outcome,
): Row => ({
  kind: kind(category, type, action, outcome),
  fill,
  summarise,
});

/** `DOMAIN\name`, or the name alone. */
export function account(domain: string | undefined, name: string | undefined): string | undefined {
  return name === undefined ? undefined : domain === undefined ? name : `${domain}\\${name}`;
}

/** Fills name, domain and id of `user` (or of a part of it) from Windows' account fields with a common prefix, such as `Subject`. */
export function fillAccount(target: Document, data: Document, prefix: 'Subject' | 'Target' | 'New' | 'Old'): void {
  const name = known(data[`${prefix}UserName`]);
  if (name !== undefined) {
    fill(target, 'name', name);
    fill(target, 'domain', known(data[`${prefix}DomainName`]) ?? known(data[`${prefix}UserDomainName`]));
  }
  const sid = known(data[`${prefix}UserSid`] ?? data[`${prefix}Sid`]);
  if (sid !== undefined && sid !== 'S-1-0-0') fill(target, 'id', sid);
}

/**
 * Splits `DOMAIN
 * ame` (or `name@domain`) into a user section.
 */
export function fillUser(target: Document, value: unknown): void {
  const whole = known(value);
  if (whole === undefined) return;
  const cut = whole.indexOf('\\');
  if (cut > 0 && cut < whole.length - 1) {
    fill(target, 'name', whole.slice(cut + 1));
    fill(target, 'domain', whole.slice(0, cut));
  } else fill(target, 'name', whole);
}

/** `SHA1=…,MD5=…,SHA256=…,IMPHASH=…` into `hash` (and `pe.imphash`) of a process, file or library; lower case, zeros left out. */
export function fillHashes(target: Document, value: unknown): void {
  if (typeof value !== 'string' || value.length < 8 || value.length > 1000 || isObject(target.hash)) return;
  for (const part of value.split(',')) {
    const cut = part.indexOf('=');
    if (cut < 3) continue;
    const algorithm = part.slice(0, cut).trim().toLowerCase();
    const digest = part.slice(cut + 1).toLowerCase();
    if (digest === '' || digest.startsWith('00000000')) continue;
    if (algorithm === 'imphash') fill(section(target, 'pe'), 'imphash', digest);
    else if (algorithm === 'md5' || algorithm === 'sha1' || algorithm === 'sha256')
      fill(section(target, 'hash'), algorithm, digest);
  }
}

/** Path, name, directory and extension of a file. */
export function fillFile(document: Document, value: unknown): Document | undefined {
  const path = known(value);
  if (path === undefined) return undefined;
  const file = section(document, 'file');
  fill(file, 'path', path);
  const name = baseName(path);
  if (name !== undefined) {
    fill(file, 'name', name);
    const dot = name.lastIndexOf('.');
    if (dot > 0 && name.length - dot <= 16) fill(file, 'extension', name.slice(dot + 1).toLowerCase());
  }
  fill(file, 'directory', folderOf(path));
  return file;
}

/** `process.executable`, `.name`, `.pid` and `.entity_id`. */
export function fillImage(process: Document, image: unknown, pid: unknown, entity: unknown): void {
  const executable = known(image);
  if (executable !== undefined) {
    fill(process, 'executable', executable);
    fill(process, 'name', baseName(executable));
  }
  fill(process, 'pid', number(pid));
  fill(process, 'entity_id', known(entity));
}

const hives: [string, string][] = [
  ['\\REGISTRY\\MACHINE\\', 'HKLM'],
  ['\\REGISTRY\\USER\\', 'HKU'],
  ['HKEY_LOCAL_MACHINE\\', 'HKLM'],
  ['HKEY_CURRENT_USER\\', 'HKCU'],
  ['HKEY_USERS\\', 'HKU'],
  ['HKEY_CLASSES_ROOT\\', 'HKCR'],
  ['HKLM\\', 'HKLM'],
  ['HKU\\', 'HKU'],
  ['HKCU\\', 'HKCU'],
  ['HKCR\\', 'HKCR'],
];

/** `registry.path/hive/key/value`; the last part of the path is the value's name when `hasValue`. */
export function fillRegistry(document: Document, value: unknown, hasValue: boolean): Document | undefined {
  const path = known(value);
  if (path === undefined) return undefined;
  const registry = section(document, 'registry');
  fill(registry, 'path', path);
  const hive = hives.find(([prefix]) => path.length > prefix.length && path.slice(0, prefix.length).toUpperCase() === prefix);
  let key = path;
  if (hive) {
    fill(registry, 'hive', hive[1]);
    key = path.slice(hive[0].length);
  }
  const cut = hasValue ? key.lastIndexOf('\\') : -1;
  if (cut > 0) {
    fill(registry, 'value', key.slice(cut + 1));
    key = key.slice(0, cut);
  }
  fill(registry, 'key', key);
  return registry;
}
