/**
 * A JSON document as a flat list of lines: the viewer draws a bounded slice of it, so that an event of a thousand fields or one
 * hostile value of 200 kB costs no more than a screenful. Paths are JSON pointers (RFC 6901), so that keys with dots stay distinct.
 */

export type Json = unknown;
export type Kind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

export interface JsonLine {
  path: string;
  depth: number;
  /** The key or index; '' for the document itself. */
  name: string;
  kind: Kind;
  /** Text of a leaf, unquoted; '' for containers. */
  text: string;
  /** Children of a container. */
  size: number;
  isOpen: boolean;
}

export const kindOf = (value: Json): Kind => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const kind = typeof value;
  return kind === 'object' || kind === 'number' || kind === 'boolean' ? (kind as Kind) : 'string';
};

const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
export const childPath = (path: string, name: string) => `${path}/${escapeName(name)}`;

/** Keys in alphabetical order: databases and shippers give them in any order, and readers search by name. */
const entriesOf = (value: Json): [string, Json][] =>
  Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as [string, Json])
    : value !== null && typeof value === 'object'
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      : [];

const leafText = (value: Json) => (typeof value === 'string' ? value : value === undefined ? 'null' : String(value));

/** Visible lines, top down. `isClosed` is called per container path; the document itself has no line. */
export function linesOf(document: Json, isClosed: (path: string, depth: number) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  const walk = (name: string, value: Json, path: string, depth: number) => {
    const kind = kindOf(value);
    if (kind === 'object' || kind === 'array') {
      const entries = entriesOf(value);
      const isOpen = entries.length > 0 && !isClosed(path, depth);
      lines.push({ path, depth, name, kind, text: '', size: entries.length, isOpen });
      if (isOpen && depth < 64) for (const [key, child] of entries) walk(key, child, childPath(path, key), depth + 1);
    } else lines.push({ path, depth, name, kind, text: leafText(value), size: 0, isOpen: false });
  };
  for (const [key, child] of entriesOf(document)) walk(key, child, childPath('', key), 0);
  return lines;
}

/** Depth to which a document is expanded within so many lines; containers of this depth and below start closed. */
export function openDepth(document: Json, most: number): number {
  const atDepth: number[] = [];
  for (const { depth } of linesOf(document, () => false)) atDepth[depth] = (atDepth[depth] ?? 0) + 1;
  let lines = atDepth[0] ?? 0;
  let depth = 0;
  while (depth + 1 < atDepth.length) {
    lines += atDepth[depth + 1] ?? 0;
    if (lines > most) break;
    depth++;
  }
  return depth;
}

/** Field name of a pointer: process.command_line, arguments[0].data. */
export function fieldName(path: string): string {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, part) => (/^\d+$/.test(part) && name ? `${name}[${part}]` : name ? `${name}.${part}` : part), '');
}

export interface Found {
  /** Lines that contain the text, in document order. */
  hits: string[];
  /** Containers that must be open for them to show. */
  open: Set<string>;
}

/** Lines whose key, dotted field name or value contains the text, without regard to case. */
export function search(document: Json, text: string): Found {
  const wanted = text.trim().toLowerCase();
  const found: Found = { hits: [], open: new Set() };
  if (wanted === '') return found;
  for (const line of linesOf(document, () => false)) {
    const isHit =
      line.name.toLowerCase().includes(wanted) ||
      line.text.toLowerCase().includes(wanted) ||
      (wanted.includes('.') && fieldName(line.path).toLowerCase().includes(wanted));
    if (!isHit) continue;
    found.hits.push(line.path);
    for (let at = line.path.lastIndexOf('/'); at > 0; at = line.path.lastIndexOf('/', at - 1))
      found.open.add(line.path.slice(0, at));
  }
  return found;
}

/** Positions of the search text, ignoring case; at most `limit`. */
export function rangesOf(text: string, wanted: string, limit = 50): [number, number][] {
  const needle = wanted.trim().toLowerCase();
  // Lower-casing can change a text's length (İ); then positions would lie, so nothing is highlighted.
  const lower = text.toLowerCase();
  if (needle === '' || lower.length !== text.length) return [];
  const ranges: [number, number][] = [];
  for (let at = lower.indexOf(needle); at >= 0 && ranges.length < limit; at = lower.indexOf(needle, at + needle.length))
    ranges.push([at, at + needle.length]);
  return ranges;
}

/** The value at a pointer, for copying. */
export function valueAt(document: Json, path: string): Json {
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json>(
      (value, name) =>
        value !== null && typeof value === 'object' && Object.hasOwn(value, name)
          ? (value as Record<string, Json>)[name]
          : undefined,
      document,
    );
}
