/**
 * Layouts of events: the keys of those objects that hold fields, in their order. Events of one kind share few, and of a known layout it is known at
 * which locations fields can be, so that no other is read. The layout of a steady document is looked up once.
 */
import { type Place, present, slots } from './fields.ts';
import type { View } from './logsource.ts';
import { type Document, derivedFromNames } from './source.ts';

/** @param Live probe of the source's index */
export interface Layout<Live = unknown> {
  /** Of the document, the system, the data and the user part, each followed by undefined; undefined for the layout that any event has. */
  keys: Keys | undefined;
  /** The document has keys such as `process.executable`, which stand for the first keys of longer paths. */
  isDotted: boolean;
  /** Of steady documents, whose values are not put into slots. */
  isSteady: boolean;
  /** Locations by number of the field, of those that were read. */
  places: Map<number, Place[]>;
  /** Probes of the source's index that have locations. */
  live: Live[] | undefined;
}

/** Layouts of a source in one form. */
export interface Layouts<Live> {
  /** By event ID; the one that is needed least makes room for a new one. */
  known: Map<unknown, Layout<Live>[]>;
  maxIds: number;
  /** For events of very many keys, and for most of those whose layouts rarely come again. */
  any: Layout<Live>;
  misses: number;
  steady: Layouts<Live> | undefined;
}

/** Layout of a steady document, whose objects are those. */
interface SteadyLayout extends Pick<View, 'system' | 'data' | 'user'> {
  layout: Layout;
}

const MAX_LAYOUTS = 16;
const MAX_IDS = 256;
const MAX_KEYS = 512;
/** Characters of the keys of a layout, which is kept as long as its rules. */
const MAX_NAMES = 16_384;

function newLayout<Live>(keys: Layout['keys'], isDotted: boolean, isSteady: boolean): Layout<Live> {
  return { keys, isDotted, isSteady, places: new Map(), live: undefined };
}

export const newLayouts = <Live>(maxIds = MAX_IDS): Layouts<Live> => ({
  known: new Map(),
  maxIds,
  any: newLayout(undefined, true, false),
  misses: 0,
  steady: undefined,
});

/** Layout of the event; its values are in the slots thereafter, but for a steady document. */
export function layoutOf<Live>(layouts: Layouts<Live>, view: View): Layout<Live> {
  const derived = derivedFromNames(view.document);
  if (!derived) return knownLayout(layouts, view, false);
  const { system, data, user } = view;
  const known = derived.get(layouts) as SteadyLayout | undefined;
  if (known && known.data === data && known.system === system && known.user === user) return known.layout as Layout<Live>;
  layouts.steady ??= newLayouts(layouts.maxIds);
  const layout = knownLayout(layouts.steady, view, true);
  // Data that name their values in a list are another object for each event.
  if (!known) derived.set(layouts, { layout, system, data, user } satisfies SteadyLayout);
  return layout;
}

function knownLayout<Live>(layouts: Layouts<Live>, view: View, isSteady: boolean): Layout<Live> {
  const id = idOf(view);
  const known = layouts.known.get(id) ?? [];
  for (let i = 0; i < known.length; i++) {
    const found = known[i]!;
    if (!fits(found.keys!, view, isSteady)) continue;
    if (i > 0) {
      known[i] = known[i - 1]!;
      known[i - 1] = found;
    }
    return found;
  }
  const isFull = known.length === 0 ? layouts.known.size === layouts.maxIds : known.length === MAX_LAYOUTS;
  if (isFull && ++layouts.misses % MAX_LAYOUTS > 0) return layouts.any;
  const keys: (string | undefined)[] = [];
  let names = 0;
  for (const part of [view.document, view.system, view.data, view.user]) {
    for (const key in part) {
      names += key.length;
      if (keys.push(key) > MAX_KEYS || names > MAX_NAMES) return layouts.any;
    }
    keys.push(undefined);
  }
  const isDotted = keys.slice(0, keys.indexOf(undefined)).some((key) => key?.includes('.'));
  const found = newLayout<Live>(keys, isDotted, isSteady);
  if (known.length === 0) enter(layouts, id, known);
  known[Math.min(known.length, MAX_LAYOUTS - 1)] = found;
  fits(keys, view, isSteady);
  return found;
}

/** Many kinds of events of a channel have their own fields. */
function idOf({ document, system }: View): unknown {
  const id = system ? (system.event_id ?? system.EventID) : document.EventID;
  return typeof id === 'number' || (typeof id === 'string' && id.length < 8) ? id : undefined;
}

/** The ID that was entered first makes room. */
function enter<Live>({ known, maxIds }: Layouts<Live>, id: unknown, list: Layout<Live>[]): void {
  for (const first of known.keys()) {
    if (known.size < maxIds) break;
    known.delete(first);
  }
  known.set(id, list);
}

type Keys = readonly (string | undefined)[];

/** Puts the values of the keys into their slots, unless the document is steady. */
function fits(keys: Keys, view: View, isSteady: boolean): boolean {
  let at = follow(keys, 0, view.document, isSteady);
  if (at > 0) at = follow(keys, at, view.system, isSteady);
  if (at > 0) at = follow(keys, at, view.data, isSteady);
  if (at > 0) at = follow(keys, at, view.user, isSteady);
  return at > 0;
}

/** Place behind the keys of an object; -1 if there are others. */
function follow(keys: Keys, from: number, part: Document | undefined, isSteady: boolean): number {
  let at = from;
  if (part !== undefined)
    for (const key in part) {
      if (keys[at] !== key) return -1;
      if (!isSteady) slots[at] = part[key];
      at++;
    }
  return keys[at] === undefined ? at + 1 : -1;
}

const bases: readonly Place['base'][] = ['document', 'system', 'data', 'user'];

/** Locations that can hold a value in events of the layout. */
export function placesIn({ keys, isDotted, isSteady }: Layout, list: readonly Place[]): Place[] {
  if (!keys) return [...list];
  return list.flatMap((place) => {
    if (place.read || (isDotted && place.base === 'document' && place.keys.length > 1)) return [place];
    let from = 0;
    for (const base of bases) {
      const end = keys.indexOf(undefined, from);
      const slot = base === place.base ? keys.indexOf(place.keys[0], from) : -1;
      if (slot >= 0 && slot < end) return [{ ...place, slot: isSteady ? present : slot }];
      from = end + 1;
    }
    return [];
  });
}
