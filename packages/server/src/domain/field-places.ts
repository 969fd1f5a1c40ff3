/** Fields of stored events: the names under which an event of its shape may have one, and its values there. */
import { places } from '@parapet/sigma/fields.ts';
import { classify, newView } from '@parapet/sigma/logsource.ts';
import type { Document } from '@parapet/sigma/source.ts';

type Shape = Parameters<typeof places>[0];
/** By document, since many fields of each are cited. */
const shapes = new WeakMap<object, Shape>();

function shapeOf(document: object): Shape {
  const known = shapes.get(document) ?? classify(document as Document, newView()).shape;
  shapes.set(document, known);
  return known;
}

export const fieldPlaces = (document: object, field: string): string[] =>
  places(shapeOf(document), field).map(({ name }) => name);

/** Length up to which a value is cited and compared. */
const maxValue = 500;
export const maxField = 200;
const maxParts = 6;

const knownPaths = new Map<string, string[][]>();
const maxKnown = 10_000;

/** Paths of `a.b.c` in a document: nested, dotted, or nested with a dotted end or beginning. */
export function pathsOf(field: string): readonly (readonly string[])[] {
  const known = knownPaths.get(field) ?? buildPaths(field);
  if (knownPaths.size >= maxKnown) knownPaths.clear();
  knownPaths.set(field, known);
  return known;
}

function buildPaths(field: string): string[][] {
  const parts = field.split('.');
  if (parts.length === 1 || parts.length > maxParts) return [[field]];
  const paths: string[][] = [];
  for (let cuts = (1 << (parts.length - 1)) - 1; cuts >= 0; cuts--) {
    const path = [parts[0]!];
    for (let i = 1; i < parts.length; i++) {
      if (cuts & (1 << (i - 1))) path.push(parts[i]!);
      else path[path.length - 1] += `.${parts[i]}`;
    }
    paths.push(path);
  }
  return paths;
}

const cited = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, maxValue)
    : undefined;

/** Citable strings of a value: itself, or the first strings of a list. */
export const valuesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value.slice(0, 50) : [value])
    .map(cited)
    .filter((text): text is string => text !== undefined && text !== '');

export function valuesAt(document: unknown, field: string): string[] {
  const values: string[] = [];
  for (const path of pathsOf(field)) {
    const at = valueAt(document, path);
    if (at !== undefined) values.push(...valuesOf(at));
  }
  return values;
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  let at = document;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/** Field of a document under its own name there, and its value. */
export interface PlacedValue {
  field: string;
  value: string;
}

/** Citable place of a rule's field in a document: its own name, or where the event's shape has it. */
export function citedField(document: unknown, field: string): PlacedValue | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const names = [field, ...fieldPlaces(document, field)];
  for (const name of names) {
    const [value] = name.length <= maxField ? valuesAt(document, name) : [];
    if (value !== undefined) return { field: name, value };
  }
  return undefined;
}
