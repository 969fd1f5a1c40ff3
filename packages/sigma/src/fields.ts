/**
 * Locations of a Sigma field in an event of a given shape: an ordered list, of which the first non-empty one wins. Locations are computed
 * once per field and shape; reading uses own keys only, so that a field called `constructor` is a field.
 */

import type { View } from './logsource.ts';
import { type Document, derivedFromNames, type Shape } from './source.ts';
import { ECS, MODULE_PREFIXES, RAW_ALIASES, SYSTEM_PATHS, WINDOWS_ALIASES } from './taxonomy.ts';
import { VIRTUAL } from './virtual.ts';

type Base = 'document' | 'system' | 'data' | 'user';

/** Location: a base, the keys below it, or a function for composed values. */
export interface Place {
  base: Base;
  keys: string[];
  /** Display name. */
  name: string;
  read?: (view: View) => unknown;
  /** In `slots`, of the value of the first key; -1 for a location that is read from the event, `present` if the event has the first key. */
  slot: number;
}

export const present = -2;

/** Values of the current event's first keys, in the order of its layout. */
export const slots: unknown[] = [];

/** As written, or with the decoded text in place of the encoded one. */
export type Form = 'written' | 'decoded';

const placesOf: Record<Form, Map<Shape, Map<string, Place[]>>> = { written: new Map(), decoded: new Map() };

/** Returns the cached locations of a field. */
export function places(shape: Shape, field: string, form: Form = 'written'): Place[] {
  const known = placesOf[form].get(shape) ?? new Map<string, Place[]>();
  placesOf[form].set(shape, known);
  let found = known.get(field);
  if (!found) {
    const decoded = form === 'decoded' ? DECODED_FIELDS.get(field) : undefined;
    found = build(shape, field);
    if (decoded) found.unshift(decoded);
    if (known.size > 20_000) known.clear();
    known.set(field, found);
  }
  return found;
}

/**
 * Envelope names that also occur in the payload of some events, where rules mean the payload: "The log file was cleared" (System
 * 104) is in the channel System and names the cleared channel.
 */
const OWN_FIRST = new Set(['Channel', 'ProviderName']);

const DATA_NAMES: Record<Shape, string> = {
  evtx: 'Event.EventData',
  winlog: 'winlog.event_data',
  flat: 'EventData',
  ecs: '',
  any: '',
};
const USER_NAMES: Record<Shape, string> = { evtx: 'Event.UserData', winlog: 'winlog.user_data', flat: '', ecs: '', any: '' };

function build(shape: Shape, field: string): Place[] {
  const result: Place[] = [];
  const add = (base: Base, keys: string[], name = keys.join('.')) => {
    const prefix =
      base === 'data'
        ? `${DATA_NAMES[shape]}.`
        : base === 'user'
          ? `${USER_NAMES[shape]}.`
          : base === 'system'
            ? systemName(shape)
            : '';
    result.push({ base, keys, name: prefix + name, slot: -1 });
  };
  const hasData = shape === 'evtx' || shape === 'winlog' || shape === 'flat';
  const system = SYSTEM_PATHS.get(field);
  if (OWN_FIRST.has(field) && hasData) for (const base of ['data', 'user'] as const) add(base, [field]);
  if (shape === 'evtx' && system) for (const keys of system) add('system', keys);
  if (shape === 'winlog')
    for (const path of ECS.get(field) ?? []) if (path.startsWith('winlog.')) add('document', path.split('.'));
  const names = [field, ...(WINDOWS_ALIASES.get(field) ?? [])];
  if (shape === 'flat') for (const name of [...names, ...spaced(field)]) add('document', [name]);
  if (hasData) {
    for (const name of names) add('data', [name]);
    for (const name of spaced(field)) add('data', [name]);
    if (shape !== 'flat') for (const name of names) add('user', [name]);
  }
  if (shape === 'evtx' && !system) add('system', [field]);
  // Classic events name none of their values; the normalisation numbers them.
  if (shape === 'evtx' && /^param\d+$/.test(field)) add('document', ['winlog', 'event_data', field]);
  if (shape !== 'flat') add('document', field.includes('.') ? field.split('.') : [field]);
  else if (field.includes('.')) add('document', field.split('.'));
  if (shape === 'any') {
    for (const name of names.slice(1)) add('document', [name]);
    for (const name of ['EventData', 'event_data']) add('document', [name, field]);
    for (const name of RAW_ALIASES.get(field) ?? []) add('document', name.split('.'));
    const low = field.split('.').map((part) => part.charAt(0).toLowerCase() + part.slice(1));
    if (low.join('.') !== field) add('document', low);
    if (low[0] !== 'properties') add('document', ['properties', ...low]);
  }
  if (shape !== 'evtx') for (const path of ECS.get(field) ?? []) add('document', path.split('.'));
  const virtual = VIRTUAL.get(field);
  if (virtual) result.push({ base: 'document', keys: [], name: field, read: virtual, slot: -1 });
  if (shape === 'ecs' || shape === 'any')
    for (const [prefix, style] of MODULE_PREFIXES) add('document', (prefix + (style === 's' ? snake(field) : field)).split('.'));
  return result;
}

const systemName = (shape: Shape): string => (shape === 'evtx' ? 'Event.System.' : '');

/** `ThreatName` → `Threat Name`, `Threat_Name`: rules omit the spaces that some providers use in field names. */
function spaced(field: string): string[] {
  const words = field.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return words === field || !/^[A-Za-z0-9 ]+$/.test(words) ? [] : [words, words.replaceAll(' ', '_')];
}

/** `userIdentity.sessionContext` → `user_identity.session_context`; a leading `properties.` is the module's own. */
function snake(field: string): string {
  return field
    .replace(/^properties\./, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

function decodedPlace(name: string): Place {
  const keys = name.split('.');
  return { base: 'document', keys, name, slot: -1 };
}

const decodedCommand = decodedPlace('process.decoded_command_line');
const decodedScript = decodedPlace('powershell.file.decoded_script_block_text');

/** Fields of commands and scripts → where the normalisation puts their decoded text. */
const DECODED_FIELDS = new Map([
  ...[
    'CommandLine',
    'ProcessCommandLine',
    'HostApplication',
    'cmdline',
    'proctitle',
    'process.command_line',
    'process.title',
  ].map((field) => [field, decodedCommand] as const),
  ...['ScriptBlockText', 'powershell.file.script_block_text'].map((field) => [field, decodedScript] as const),
]);

/** True if the normalisation decoded a command or a script of the event. */
export function isDecoded({ document }: View): boolean {
  const { process, powershell } = document as { process?: Document; powershell?: { file?: Document } };
  return typeof process?.decoded_command_line === 'string' || typeof powershell?.file?.decoded_script_block_text === 'string';
}

/** Value at a location; undefined if absent. */
export function readPlace(place: Place, view: View): unknown {
  const { slot, keys } = place;
  if (slot !== -1) {
    const value = slot === present ? view[place.base]![keys[0]!] : slots[slot];
    if (keys.length === 1) return value;
    const inner = walk(value, keys, 1);
    // The document's own keys have no dots.
    return inner === undefined && keys.length > 2 ? mixedAt(place, view) : inner;
  }
  if (place.read) return place.read(view);
  const base = view[place.base];
  if (base === undefined) return undefined;
  if (keys.length === 1) return own(base, keys[0]!);
  const value = walk(base, keys, 0);
  return value === undefined ? mixedAt(place, view) : value;
}

const mixedAt = ({ base, keys }: Place, { document }: View): unknown =>
  base === 'document' && hasDottedKeys(document) ? mixed(document, keys, 0) : undefined;

/** First value of any location. */
export function readField(list: readonly Place[], view: View): unknown {
  for (let i = 0; i < list.length; i++) {
    const value = readPlace(list[i]!, view);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** JSON contains no functions, so that a function can only be inherited; the same holds for the prototype itself. */
function own(object: Document, key: string): unknown {
  const value = object[key];
  return typeof value === 'function' || value === Object.prototype ? undefined : value;
}

const MAX_ELEMENTS = 10_000;

/** Collects the values of all elements of an array. */
function walk(value: unknown, keys: string[], from: number): unknown {
  let at = value;
  for (let i = from; i < keys.length; i++) {
    if (at === null || typeof at !== 'object') return undefined;
    if (Array.isArray(at)) {
      const found: unknown[] = [];
      for (const element of at.slice(0, MAX_ELEMENTS)) {
        const inner = walk(element, keys, i);
        if (Array.isArray(inner)) found.push(...inner);
        else if (inner !== undefined) found.push(inner);
      }
      return found.length > 0 ? found : undefined;
    }
    at = own(at as Document, keys[i]!);
    if (at === undefined) return undefined;
  }
  return at;
}

let dottedFor: Document | undefined;
let dotted = false;

/** True if the event has keys such as `process.executable`; cached for repeated calls with the same event, and for steady documents. */
function hasDottedKeys(document: Document): boolean {
  if (dottedFor === document) return dotted;
  dottedFor = document;
  const derived = derivedFromNames(document);
  dotted = (derived?.get(readDottedKeys) as boolean | undefined) ?? readDottedKeys(document);
  derived?.set(readDottedKeys, dotted);
  return dotted;
}

function readDottedKeys(document: Document): boolean {
  for (const key in document) {
    if (key.includes('.')) return true;
    const value = document[key];
    if (value !== null && typeof value === 'object' && !Array.isArray(value))
      for (const inner in value) if (inner.includes('.')) return true;
  }
  return false;
}

/** `{ "process": { "parent.executable": … } }` and the like: every way of joining the keys. */
function mixed(value: unknown, keys: string[], from: number): unknown {
  if (from === keys.length) return value;
  if (value === null || typeof value !== 'object' || Array.isArray(value) || keys.length > 12) return undefined;
  let name = '';
  for (let i = from; i < keys.length; i++) {
    name = i === from ? keys[i]! : `${name}.${keys[i]}`;
    const inner = own(value as Document, name);
    if (inner === undefined) continue;
    const found = mixed(inner, keys, i + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
