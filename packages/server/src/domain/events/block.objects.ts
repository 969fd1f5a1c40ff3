/**
 * Documents made of blocks' values as JSON.parse makes them of their text, without that text. Those of a layout are one object, whose members read
 * the values of the current event: of some sixty values of an event rules need a dozen.
 */
import { markSteady } from '@parapet/sigma/source.ts';
import type { LeafValues } from './block.leaves.ts';
import { isOneText, type Place } from './shred.ts';

type Named = Record<string | number, unknown>;
type Make = () => unknown;

/** Values of the event that is viewed. */
interface Current {
  values: LeafValues;
}

/** Members of an array, or of an object within one, which are made when the outermost array is read. */
interface Parts {
  isArray: boolean;
  /** Of the first leaf. */
  position: number;
  members: [key: string, make: Make][];
}

class LayoutView {
  readonly #top: Named = {};
  readonly #current: Current;

  /** With the places of the layout's leaves. */
  constructor(places: readonly Place[], leaves: readonly number[], current: Current) {
    this.#current = current;
    const objects = new Map<number, Named>();
    const arrays = new Map<number, Parts>();
    /** Adds a value to what holds it. */
    const add = (parent: number, key: string, position: number, make: Make): void => {
      const parts = partsOf(parent, position);
      if (parts) parts.members.push([key, make]);
      else define(objectOf(parent), key, { get: make });
    };
    const partsOf = (id: number, position: number): Parts | undefined => {
      const place = places[id];
      if (!place) return undefined;
      const known = arrays.get(id);
      if (known) return known;
      const isArray = place.kind === 'array';
      if (!isArray && !partsOf(place.parent, position)) return undefined;
      const parts: Parts = { isArray, position, members: [] };
      const isOutermost = !partsOf(place.parent, position);
      arrays.set(id, parts);
      const make = () => made(parts);
      add(place.parent, place.key, position, isOutermost ? () => current.values.once(position, make) : make);
      return parts;
    };
    const objectOf = (id: number): Named => {
      const place = places[id];
      const known = place ? objects.get(id) : this.#top;
      if (known) return known;
      const object: Named = {};
      objects.set(id, object);
      define(objectOf(place!.parent), place!.key, { value: object });
      return object;
    };
    for (let at = 0; at < leaves.length; at++) {
      const position = at;
      const { parent, key } = places[leaves[at]!]!;
      const above = places[parent];
      if (!isOneText(above?.kind)) {
        const isPart = partsOf(parent, position) !== undefined;
        add(parent, key, position, isPart ? () => current.values.value(position) : () => current.values.made(position));
        continue;
      }
      const labels = [key];
      for (; places[leaves[at + 1] ?? -1]?.parent === parent; at++)
        labels.push((above!.kind === 'lines' ? '\n' : ',') + places[leaves[at + 1]!]!.key);
      const make = () => joined(labels, current.values, position);
      add(above!.parent, above!.key, position, () => current.values.once(position, make));
    }
    const [document] = objects.values();
    if (document) markSteady(document);
  }

  of(values: LeafValues): unknown {
    this.#current.values = values;
    return this.#top.$;
  }
}

function define(object: Named, key: string, property: PropertyDescriptor): void {
  property.enumerable = true;
  property.configurable = true;
  Object.defineProperty(object, key, property);
}

function made({ isArray, members }: Parts): unknown {
  if (isArray) return members.map(([, make]) => make());
  const object: Named = {};
  for (const [key, make] of members) {
    if (key === '__proto__') define(object, key, { value: make(), writable: true });
    else object[key] = make();
  }
  return object;
}

function joined(labels: readonly string[], values: LeafValues, first: number): string {
  let text = '';
  for (let part = 0; part < labels.length; part++) text += labels[part]! + (values.value(first + part) as string);
  return text;
}

/** Events choose their layouts: the objects are let go beyond so many, or so many paths. */
const maxViews = 500;
const maxPaths = 20_000;

/** Objects of layouts, for blocks that are read one after the other, most of which have the same ones. One event of all is viewed at a time. */
export class LayoutViews {
  readonly #current = {} as Current;
  readonly #views = new Map<string, LayoutView>();
  readonly #paths = new Map<string, number>();
  #next = 0;

  /** Numbers of places by their names from the top and their kinds, across blocks. */
  pathsOf(places: readonly Place[]): number[] {
    if (this.#paths.size > maxPaths) this.#paths.clear();
    const paths: number[] = [];
    for (const { parent, kind, key } of places) {
      const path = `${paths[parent] ?? ''} ${kind} ${key}`;
      let number = this.#paths.get(path);
      if (number === undefined) {
        number = this.#next++;
        this.#paths.set(path, number);
      }
      paths.push(number);
    }
    return paths;
  }

  of(places: readonly Place[], paths: readonly number[], leaves: readonly number[]): LayoutView {
    const key = leaves.map((place) => paths[place]).join();
    let view = this.#views.get(key);
    if (!view) {
      if (this.#views.size === maxViews) this.#views.clear();
      view = new LayoutView(places, leaves, this.#current);
      this.#views.set(key, view);
    }
    return view;
  }
}

export type { LayoutView };
