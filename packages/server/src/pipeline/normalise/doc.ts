/**
 * Reads and fills documents with untrusted types. Readers return `undefined` for values of another type; fillers never
 * overwrite what a shipper set and never touch a prototype (`JSON.parse` makes `__proto__` an ordinary own key).
 */
import { isIP } from 'node:net';
import type { Document } from '../event.ts';

/** Version of the Elastic Common Schema used for field names. */
export const ecsVersion = '8.17.0';

/** True for a JSON object; false for arrays, null and scalars. */
export function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else undefined. */
export function object(value: unknown): Document | undefined {
  return isObject(value) ? value : undefined;
}

/** Returns the object that a text holds as JSON, or undefined. */
export function objectIn(json: string): Document | undefined {
  if (!json.startsWith('{')) return undefined;
  try {
    return object(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Returns a non-empty text; converts numbers and booleans; undefined for anything else. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return undefined;
}

/** As `text`, but undefined for the empty-value placeholders of Windows, auditd and Microsoft 365. */
export function known(value: unknown): string | undefined {
  const found = text(value);
  if (found === undefined || found.length > 20) return found;
  switch (found) {
    case '-':
    case 'N/A':
    case 'n/a':
    case '(null)':
    case '<null>':
    case '(none)':
    case 'unset':
    case '%%1793':
      return undefined;
    default:
      return found.trim() === '' ? undefined : found;
  }
}

/** Returns the first element of an array, or the value itself: several shippers wrap single values. */
export function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** Returns a finite number from a number, a decimal text or a `0x…` text. */
export function number(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value === '' || value.length > 24) return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}

/** Returns a port from 1 to 65535; 0 and '-' mean none. */
export function port(value: unknown): number | undefined {
  const found = number(value);
  return found !== undefined && found > 0 && found < 65_536 && Number.isInteger(found) ? found : undefined;
}

/**
 * Returns an IP address in the form that PostgreSQL and Sigma’s `cidr` accept: without brackets, zone, port or IPv4-mapped
 * prefix.
 */
export function ip(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length < 2 || value.length > 64) return undefined;
  let address = value.trim();
  if (isIP(address) === 4) return address;
  if (address.startsWith('[')) address = address.slice(1, address.indexOf(']', 1));
  else if (address.indexOf(':') === address.lastIndexOf(':') && address.includes(':'))
    address = address.slice(0, address.indexOf(':'));
  const zone = address.indexOf('%');
  if (zone > 0) address = address.slice(0, zone);
  if (address.length > 7 && address.slice(0, 7).toLowerCase() === '::ffff:' && address.includes('.')) address = address.slice(7);
  return isIP(address) ? address : undefined;
}

/** Returns the port after an address: `203.0.113.9:4242` or `[2001:db8::1]:4242`. */
export function portOfAddress(value: unknown): number | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const colon = value.lastIndexOf(':');
  if (colon < 1) return undefined;
  return value.indexOf(':') === colon || value[colon - 1] === ']' ? port(value.slice(colon + 1)) : undefined;
}

/** Sets a field that is not set yet; `null` and '' count as not set, an undefined value changes nothing. */
export function fill(target: Document, key: string, value: unknown): void {
  if (value === undefined) return;
  const present = target[key];
  if (present === undefined || present === null || present === '') target[key] = value;
}

/** Destination of a scalar found in place of an object, so that `host: "web01"` survives when `host.name` is filled. */
const scalarHome = new Map([
  ['host', 'name'],
  ['user', 'name'],
  ['process', 'name'],
  ['agent', 'name'],
  ['service', 'name'],
  ['observer', 'name'],
  ['file', 'path'],
  ['url', 'original'],
  ['source', 'address'],
  ['destination', 'address'],
  ['client', 'address'],
  ['server', 'address'],
  ['event', 'original'],
  ['user_agent', 'original'],
]);

/** Returns the object under a key, created when missing. Any other value in its place moves inside it. */
export function section(target: Document, key: string): Document {
  const present = target[key];
  if (isObject(present)) return present;
  const made: Document = {};
  if (present !== undefined && present !== null && present !== '') {
    const home = scalarHome.get(key);
    const single = first(present);
    if (home !== undefined && (typeof single === 'string' || typeof single === 'number') && !isMany(present))
      made[home] = text(single);
    else made.original = present;
  }
  target[key] = made;
  return made;
}

function isMany(value: unknown): boolean {
  return Array.isArray(value) && value.length > 1;
}

/** Name of the machine that a document states, wherever its shipper puts it. */
export function hostNameOf(document: Document): string | undefined {
  const host = typeof document.host === 'string' ? section(document, 'host') : object(document.host);
  return (
    known(first(host?.name)) ??
    known(first(host?.hostname)) ??
    known(read(document, 'winlog.computer_name')) ??
    known(read(document, 'agent.hostname')) ??
    known(read(document, 'beat.hostname')) ??
    known(document.hostname) ??
    known(document.computer_name) ??
    known(read(document, 'agent.name')) ??
    known(read(document, 'observer.name'))
  );
}

/** Sets an own key whatever its name, `__proto__` included. */
export function setOwn(target: Document, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** Reads a dotted path through objects: `read(doc, 'event.dataset')`; also when the key itself carries the dots. */
export function read(target: unknown, path: string): unknown {
  if (!isObject(target)) return undefined;
  if (Object.hasOwn(target, path)) return target[path];
  let at: unknown = target;
  for (const part of path.split('.')) {
    if (!isObject(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

/** Roots under which a dotted top-level key is an alternative spelling of a nested field. */
const nestedRoots = new Set(
  (
    'agent auditd azure client cloud container data_stream destination dns ecs event file fileset group host http input log network o365 ' +
    'observer organization powershell process registry related rule server service source system threat tls url user user_agent winlog'
  ).split(' '),
);

/**
 * Turns dotted top-level keys of known roots into nested ones (`{ "host.name": "x" }` → `{ host: { name: "x" } }`), as Elasticsearch
 * reads them. A key that would collide with a value of another kind stays where it is.
 */
export function nestDottedKeys(document: Document): void {
  for (const key in document) {
    const dot = key.indexOf('.');
    if (dot <= 0 || key.length > 200 || !nestedRoots.has(key.slice(0, dot))) continue;
    const parts = key.split('.');
    if (parts.length > 8 || parts.includes('__proto__') || parts.includes('')) continue;
    const last = parts.pop()!;
    const home = nestedHome(document, parts);
    if (home === undefined || Object.hasOwn(home, last)) continue;
    home[last] = document[key];
    delete document[key];
  }
}

function nestedHome(document: Document, parts: string[]): Document | undefined {
  let at = document;
  for (const part of parts) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined;
    if (isObject(next)) at = next;
    else if (next === undefined || next === null) {
      const made: Document = {};
      at[part] = made;
      at = made;
    } else return undefined;
  }
  return at;
}

export type Outcome = 'success' | 'failure' | 'unknown';

/** ECS categorisation of an event. Frozen, because one object serves all events of its kind. */
export interface Kind {
  category: readonly string[];
  type: readonly string[];
  action: string;
  outcome: Outcome | undefined;
}

/** `kind('authentication', 'start', 'logged-in', 'success')`; several categories or types are separated by a space. */
export function kind(category: string, type: string, action: string, outcome?: Outcome): Kind {
  return {
    category: Object.freeze(category === '' ? [] : category.split(' ')),
    type: Object.freeze(type === '' ? [] : type.split(' ')),
    action,
    outcome,
  };
}

/** Fills `event.category/type/action/outcome`. */
export function categorise(document: Document, what: Kind): void {
  const event = section(document, 'event');
  if (what.category.length > 0) fill(event, 'category', what.category);
  if (what.type.length > 0) fill(event, 'type', what.type);
  fill(event, 'action', what.action);
  fill(event, 'outcome', what.outcome);
}

/** The last part of a Windows or POSIX path. */
export function baseName(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const cut = Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));
  const name = cut < 0 ? path : path.slice(cut + 1);
  return name === '' ? undefined : name;
}

/** The part before the last separator. */
export function folderOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const cut = Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/'));
  return cut > 0 ? path.slice(0, cut) : undefined;
}
