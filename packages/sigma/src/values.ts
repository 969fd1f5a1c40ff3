/**
 * Field values of one event: each field is resolved and folded once, on first use. The arrays are reused
 * from event to event; a stamp marks the entries of the current one.
 */
import { type Form, markHeads, type Place, places, readMarked } from './fields.ts';
import type { View } from './logsource.ts';
import { newView } from './logsource.ts';
import { fold } from './pattern.ts';
import type { Shape } from './source.ts';

export type Scalar = string | number | boolean;

/** One value with its folded text. */
export interface Leaf {
  raw: Scalar;
  low: string;
}

/** Kind of a field's value: absent, null, one scalar, a list of them, or an object, which equals nothing. */
export const ABSENT = 0;
export const NULL = 1;
export const ONE = 2;
export const MANY = 3;
export const OBJECT = 4;

const MAX_LEAVES = 10_000;
const MAX_DEPTH = 64;

export interface Values {
  view: View;
  /** Begins the next event, of which so many locations will be read. */
  begin(shape: Shape, locations?: number, form?: Form): void;
  /** Locations of a field in the current event. */
  places(field: string): Place[];
  /** Number of a field, to be used in the other calls. */
  fieldNumber(field: string): number;
  fieldName(field: number): string;
  kind(field: number): number;
  /** The value, if the kind is ONE. */
  raw(field: number): Scalar;
  low(field: number): string;
  /** The values, if the kind is MANY. */
  leaves(field: number): Leaf[];
  /** Every text and number anywhere in the event, for keywords. */
  all(): Leaf[];
}

export function newValues(): Values {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const byShape: Record<Form, Map<Shape, (Place[] | undefined)[]>> = { written: new Map(), decoded: new Map() };
  const view = newView();
  const stamps: number[] = [];
  const kinds: number[] = [];
  const raws: Scalar[] = [];
  const lows: string[] = [];
  const lists: Leaf[][] = [];
  let stamp = 0;
  let shape: Shape = 'any';
  let form: Form = 'written';
  let shapePlaces: (Place[] | undefined)[] = [];
  let words: Leaf[] | undefined;

  function load(field: number): void {
    stamps[field] = stamp;
    shapePlaces[field] ??= places(shape, names[field]!, form);
    const value = readMarked(shapePlaces[field], view);
    if (typeof value === 'string') {
      kinds[field] = ONE;
      raws[field] = value;
      lows[field] = fold(value);
    } else if (value === undefined) kinds[field] = ABSENT;
    else if (value === null) kinds[field] = NULL;
    else if (typeof value === 'object') loadObject(field, value);
    else {
      kinds[field] = ONE;
      raws[field] = value as Scalar;
      lows[field] = String(value).toLowerCase();
    }
  }

  function loadObject(field: number, value: object): void {
    const leaves: Leaf[] = [];
    collectValue(value, leaves, 0);
    if (leaves.length === 0)
      kinds[field] = Array.isArray(value) && value.length > 0 && value.every((each) => each === null) ? NULL : OBJECT;
    else if (leaves.length === 1) {
      kinds[field] = ONE;
      raws[field] = leaves[0]!.raw;
      lows[field] = leaves[0]!.low;
    } else {
      kinds[field] = MANY;
      lists[field] = leaves;
    }
  }

  const kind = (field: number): number => {
    if (stamps[field] !== stamp) load(field);
    return kinds[field]!;
  };

  return {
    view,
    begin(next, locations = 0, nextForm = 'written') {
      stamp++;
      words = undefined;
      markHeads(view, locations);
      if (next === shape && nextForm === form && stamp > 1) return;
      shape = next;
      form = nextForm;
      shapePlaces = byShape[form].get(next) ?? [];
      byShape[form].set(next, shapePlaces);
    },
    places: (field) => places(shape, field, form),
    fieldNumber(field) {
      let number = numbers.get(field);
      if (number === undefined) {
        number = names.length;
        numbers.set(field, number);
        names.push(field);
        stamps.push(0);
        kinds.push(ABSENT);
        raws.push('');
        lows.push('');
        lists.push([]);
      }
      return number;
    },
    fieldName: (field) => names[field]!,
    kind,
    raw: (field) => raws[field]!,
    low: (field) => lows[field]!,
    leaves: (field) => lists[field]!,
    all() {
      if (words === undefined) {
        words = [];
        collectAll(view.document, words, 0);
      }
      return words;
    },
  };
}

const MAX_JSON = 64 * 1024;

/**
 * Scalars of a list (and of nested lists); `{ "#text": … }` counts as its text, any other object as its JSON: cloud rules match
 * `requestParameters|contains` against what CloudTrail writes as an object.
 */
export function collectValue(value: unknown, leaves: Leaf[], depth: number): void {
  if (leaves.length >= MAX_LEAVES || depth > MAX_DEPTH) return;
  if (typeof value === 'string') leaves.push({ raw: value, low: fold(value) });
  else if (typeof value === 'number' || typeof value === 'boolean') leaves.push({ raw: value, low: String(value) });
  else if (Array.isArray(value)) for (const element of value) collectValue(element, leaves, depth + 1);
  else if (value !== null && typeof value === 'object') {
    if (Object.hasOwn(value, '#text')) collectValue((value as Record<string, unknown>)['#text'], leaves, depth + 1);
    else {
      const text = jsonOf(value);
      if (text.length <= MAX_JSON && text !== '{}') leaves.push({ raw: text, low: fold(text) });
    }
  }
}

/** Returns `{}` for excessive nesting. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return '{}';
  }
}

function collectAll(value: unknown, leaves: Leaf[], depth: number): void {
  if (leaves.length >= MAX_LEAVES || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (value !== '') leaves.push({ raw: value, low: fold(value) });
  } else if (typeof value === 'number' || typeof value === 'boolean') leaves.push({ raw: value, low: String(value) });
  else if (Array.isArray(value)) for (const element of value) collectAll(element, leaves, depth + 1);
  else if (value !== null && typeof value === 'object')
    for (const key in value)
      if (Object.hasOwn(value, key)) collectAll((value as Record<string, unknown>)[key], leaves, depth + 1);
}
