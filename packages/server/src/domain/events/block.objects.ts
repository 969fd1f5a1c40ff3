/**
 * Documents made of a block's values as JSON.parse makes them of their text, without that text. Those of a layout are one object, whose values change
 * from event to event: an object is made once for a layout, and in it only what differs from the event before.
 */
import type { Leaf } from './block.leaves.ts';
import { isOneText, type Place, unquoted } from './shred.ts';

type Container = Record<string | number, unknown>;

/** A leaf: where its value stands, and the text of which that was made. */
interface Slot {
  leaf: number;
  inside: Container;
  name: string | number;
  isLiteral: boolean;
  isFixed: boolean;
  value: string | undefined;
}

/** A text of several leaves that follow each other: the first of them, and what stands before each. */
interface JoinedText {
  leaf: number;
  inside: Container;
  name: string | number;
  parts: string[];
}

export class LayoutView {
  /** Of the layout's leaves, in their order: those of the event that is viewed. */
  readonly values: string[];
  #slots: Slot[] = [];
  readonly #texts: JoinedText[] = [];
  readonly #top: Container = {};
  #isMade = false;
  readonly #unquoted: (value: string) => string;

  /** With what makes texts of values; those of many events are the same. */
  constructor(places: readonly Place[], leaves: readonly Leaf[], unquoted: (value: string) => string) {
    this.values = new Array<string>(leaves.length);
    this.#unquoted = unquoted;
    const known = new Map<number, Container>();
    const containerOf = (id: number): Container => {
      const place = places[id];
      if (!place) return this.#top;
      let container = known.get(id);
      if (!container) {
        container = (place.kind === 'array' ? [] : {}) as Container;
        known.set(id, container);
        define(containerOf(place.parent), place.key, container);
      }
      return container;
    };
    let text: (JoinedText & { place: number }) | undefined;
    for (const [leaf, { place, isFixed }] of leaves.entries()) {
      const { parent, kind, key } = places[place]!;
      const above = places[parent];
      if (!isOneText(above?.kind)) {
        const inside = containerOf(parent);
        const name = define(inside, key, '');
        this.#slots.push({ leaf, inside, name, isLiteral: kind !== 'string', isFixed, value: undefined });
      } else if (text?.place === parent) text.parts.push((above!.kind === 'lines' ? '\n' : ',') + key);
      else {
        const inside = containerOf(above!.parent);
        text = { place: parent, leaf, inside, name: define(inside, above!.key, ''), parts: [key] };
        this.#texts.push(text);
      }
    }
  }

  /** The document of the values, until those of another event take their place. Throws a SyntaxError for values that are no JSON. */
  document(): unknown {
    for (const slot of this.#slots) {
      const value = this.values[slot.leaf]!;
      if (value === slot.value) continue;
      slot.inside[slot.name] = slot.isLiteral ? literalOf(value) : this.#unquoted(value);
      slot.value = value;
    }
    if (!this.#isMade) this.#slots = this.#slots.filter(({ isFixed }) => !isFixed);
    this.#isMade = true;
    for (const { leaf, inside, name, parts } of this.#texts) {
      let text = '';
      for (let at = 0; at < parts.length; at++) text += parts[at]! + this.#unquoted(this.values[leaf + at]!);
      inside[name] = text;
    }
    return this.#top.$;
  }
}

/** Adds a member, or an element behind the others; returns its name. Assignment takes `__proto__` for another thing until there is such a member. */
function define(inside: Container, key: string, value: unknown): string | number {
  const name = Array.isArray(inside) ? inside.length : key;
  if (name !== '__proto__') inside[name] = value;
  else Object.defineProperty(inside, name, { value, writable: true, enumerable: true, configurable: true });
  return name;
}

const whole = /^[1-9]\d{0,14}$/;
const literalOf = (value: string): unknown =>
  value === 'true' ? true : value === 'false' ? false : whole.test(value) ? Number(value) : JSON.parse(value);

/** Texts of values, of those with escapes each once. */
export function unquoting(): (value: string) => string {
  const known = new Map<string, string>();
  return (value) => {
    if (!value.includes('\\')) return value;
    let text = known.get(value);
    if (text === undefined) {
      text = unquoted(value);
      known.set(value, text);
    }
    return text;
  };
}
