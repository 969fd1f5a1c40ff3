/** Reads the fields of a stored event: nested objects and dotted keys alike, own keys only, elements of lists one by one. */
import { foldCase, isAny, isWhole, type Pattern } from './ast.ts';

export interface SearchedEvent {
  at: string;
  receivedAt: string;
  shape: string;
  deviceName: string | null;
  userName: string | null;
  text: string;
  document: Readonly<Record<string, unknown>>;
}

/** Names of the event’s own columns; the document’s field of the same name is read as well. */
const columns: Readonly<Record<string, (event: SearchedEvent) => string | null>> = {
  __proto__: null as never,
  '@timestamp': (event) => event.at,
  'event.ingested': (event) => event.receivedAt,
  'device.name': (event) => event.deviceName,
  device: (event) => event.deviceName,
  user: (event) => event.userName,
  message: (event) => event.text,
  shape: (event) => event.shape,
};

/** Columns whose text may be stored in another form, or not at all, in the bytes of an event. */
const unwritten = ['@timestamp', 'event.ingested', 'shape'];
export const isUnwritten = (field: Pattern): boolean => unwritten.some((name) => isWhole(name, field.map(foldCase)));

/** Levels read of a document; deeper values match nothing. */
const maxDepth = 64;

type Visit = (value: unknown) => boolean;

/** True if a value of the event (of its document, its message, its device or its user) passes; stops at the first. */
export const leavesOf = (event: SearchedEvent, fits: Visit): boolean =>
  fits(event.text) ||
  (event.deviceName !== null && fits(event.deviceName)) ||
  (event.userName !== null && fits(event.userName)) ||
  anyLeaf(event.document, fits, 0);

const isPresent = (value: unknown) => value !== null && value !== undefined;

function anyLeaf(value: unknown, fits: Visit, depth: number): boolean {
  if (!isPresent(value)) return false;
  if (typeof value !== 'object') return fits(value);
  if (depth > maxDepth) return false;
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value as object);
  return children.some((child) => anyLeaf(child, fits, depth + 1));
}

/** True if a value of a field passes; a name with wildcards reads every field that it matches. An object has the values of its fields. */
export function valuesOf(event: SearchedEvent, field: Pattern, fits: Visit): boolean {
  if (field.length > 1) {
    for (const name in columns) if (isWhole(name, field.map(foldCase)) && fitsColumn(event, name, fits)) return true;
    return isAny(field) ? anyLeaf(event.document, fits, 0) : anyNamed(event.document, '', field.map(foldCase), fits, 0);
  }
  const name = foldCase(field[0] ?? '');
  return fitsColumn(event, name, fits) || anyAt(event.document, name, fits, 0);
}

function fitsColumn(event: SearchedEvent, name: string, fits: Visit): boolean {
  const value = columns[name]?.(event);
  return value !== null && value !== undefined && fits(value);
}

/** Each key that begins the name is followed, so that `a.b` is `a` › `b`, or `a.b`; both are fields of `a`. */
function anyAt(value: unknown, name: string, fits: Visit, depth: number): boolean {
  if (!isPresent(value) || typeof value !== 'object' || depth > maxDepth) return false;
  if (Array.isArray(value)) return value.some((item) => anyAt(item, name, fits, depth + 1));
  for (const key of Object.keys(value as object)) {
    const folded = foldCase(key);
    const child = (value as Record<string, unknown>)[key];
    if (
      folded === name || folded.startsWith(`${name}.`)
        ? anyLeaf(child, fits, depth + 1)
        : name.startsWith(`${folded}.`) && anyAt(child, name.slice(folded.length + 1), fits, depth + 1)
    )
      return true;
  }
  return false;
}

function anyNamed(value: unknown, name: string, field: Pattern, fits: Visit, depth: number): boolean {
  if (!isPresent(value) || depth > maxDepth) return false;
  if (typeof value !== 'object') return isWhole(name, field) && fits(value);
  if (Array.isArray(value)) return value.some((item) => anyNamed(item, name, field, fits, depth + 1));
  return Object.entries(value as object).some(([key, child]) =>
    anyNamed(child, name === '' ? foldCase(key) : `${name}.${foldCase(key)}`, field, fits, depth + 1),
  );
}
