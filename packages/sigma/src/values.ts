/**
 * Field values of one event: each field is resolved once and folded once, on first use. The fields are reused from event to event; a stamp marks
 * those of the current one.
 */
import { type Form, type Place, places, readField } from './fields.ts';
import { type Layout, placesIn } from './layouts.ts';
import type { View } from './logsource.ts';
import { newView } from './logsource.ts';
import { foldCase } from './pattern.ts';
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

/** A field and its value in the event of the stamp. */
export interface Field {
  name: string;
  number: number;
  stamp: number;
  kind: number;
  /** The value, if the kind is ONE. */
  raw: Scalar;
  low: string | undefined;
  /** The values, if the kind is MANY. */
  leaves: Leaf[];
}

export interface Values {
  view: View;
  /** Begins the next event; without a layout every location is read. */
  begin(shape: Shape, form?: Form, layout?: Layout): void;
  /** To be used in the other calls. */
  field(name: string): Field;
  /** Locations of a field in the current event. */
  places(field: Field): Place[];
  kind(field: Field): number;
  /** As `kind`, for a caller that has the locations at which the field can be. */
  kindAt(field: Field, list: readonly Place[]): number;
  /** The folded value, if the kind is ONE. */
  low(field: Field): string;
  /** Every text and number anywhere in the event, for keywords. */
  all(): Leaf[];
}

const none: Leaf[] = [];

export function newValues(): Values {
  const fields = new Map<string, Field>();
  const byShape: Record<Form, Map<Shape, (Place[] | undefined)[]>> = { written: new Map(), decoded: new Map() };
  const view = newView();
  let stamp = 0;
  let shape: Shape = 'any';
  let form: Form = 'written';
  let layout: Layout | undefined;
  let shapePlaces: (Place[] | undefined)[] = [];
  let words: Leaf[] | undefined;

  function placesOf({ name, number }: Field): Place[] {
    const known = layout?.places.get(number);
    if (known) return known;
    shapePlaces[number] ??= places(shape, name, form);
    if (!layout) return shapePlaces[number];
    const found = placesIn(layout, shapePlaces[number]);
    layout.places.set(number, found);
    return found;
  }

  function load(field: Field, list: readonly Place[]): void {
    field.stamp = stamp;
    const value = readField(list, view);
    if (typeof value === 'string') hold(field, value);
    else if (value === undefined) field.kind = ABSENT;
    else if (value === null) field.kind = NULL;
    else if (typeof value === 'object') loadObject(field, value);
    else hold(field, value as Scalar);
  }

  const kind = (field: Field): number => {
    if (field.stamp !== stamp) load(field, placesOf(field));
    return field.kind;
  };

  return {
    view,
    begin(next, nextForm = 'written', nextLayout = undefined) {
      stamp++;
      words = undefined;
      layout = nextLayout;
      if (next === shape && nextForm === form && stamp > 1) return;
      shape = next;
      form = nextForm;
      shapePlaces = byShape[form].get(next) ?? [];
      byShape[form].set(next, shapePlaces);
    },
    places: placesOf,
    field(name) {
      const known = fields.get(name);
      if (known) return known;
      const number = fields.size;
      const field = { name, number, stamp: 0, kind: ABSENT, raw: '', low: undefined, leaves: none };
      fields.set(name, field);
      return field;
    },
    kind,
    kindAt(field, list) {
      if (field.stamp !== stamp) load(field, list);
      return field.kind;
    },
    low(field) {
      field.low ??= foldCase(String(field.raw));
      return field.low;
    },
    all() {
      if (words === undefined) {
        words = [];
        collectAll(view.document, words, 0);
      }
      return words;
    },
  };
}

function hold(field: Field, raw: Scalar): void {
  field.kind = ONE;
  field.raw = raw;
  field.low = undefined;
}

function loadObject(field: Field, value: object): void {
  const leaves: Leaf[] = [];
  collectValue(value, leaves, 0);
  if (leaves.length === 0)
    field.kind = Array.isArray(value) && value.length > 0 && value.every((each) => each === null) ? NULL : OBJECT;
  else if (leaves.length === 1) {
    hold(field, leaves[0]!.raw);
    field.low = leaves[0]!.low;
  } else {
    field.kind = MANY;
    field.leaves = leaves;
  }
}

const MAX_JSON = 64 * 1024;

/**
 * Scalars of a list (and of nested lists); `{ "#text": … }` counts as its text, any other object as its JSON: cloud rules match
 * `requestParameters|contains` against what CloudTrail writes as an object.
 */
export function collectValue(value: unknown, leaves: Leaf[], depth: number): void {
  if (leaves.length >= MAX_LEAVES || depth > MAX_DEPTH) return;
  if (typeof value === 'string') leaves.push({ raw: value, low: foldCase(value) });
  else if (typeof value === 'number' || typeof value === 'boolean') leaves.push({ raw: value, low: String(value) });
  else if (Array.isArray(value)) for (const element of value) collectValue(element, leaves, depth + 1);
  else if (value !== null && typeof value === 'object') {
    if (Object.hasOwn(value, '#text')) collectValue((value as Record<string, unknown>)['#text'], leaves, depth + 1);
    else {
      const text = jsonOf(value);
      if (text.length <= MAX_JSON && text !== '{}') leaves.push({ raw: text, low: foldCase(text) });
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
    if (value !== '') leaves.push({ raw: value, low: foldCase(value) });
  } else if (typeof value === 'number' || typeof value === 'boolean') leaves.push({ raw: value, low: String(value) });
  else if (Array.isArray(value)) for (const element of value) collectAll(element, leaves, depth + 1);
  else if (value !== null && typeof value === 'object')
    for (const key in value)
      if (Object.hasOwn(value, key)) collectAll((value as Record<string, unknown>)[key], leaves, depth + 1);
}
