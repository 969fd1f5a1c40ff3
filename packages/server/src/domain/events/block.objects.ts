/**
 * Documents made of a block's values as JSON.parse makes them of their text, without that text. Those of a layout are one object, whose members read
 * the values of the current event: of some sixty values of an event rules need a dozen.
 */
import { markSteady } from '@parapet/sigma/source.ts';
import type { Leaf, LeafValues } from './block.leaves.ts';
import { isOneText, type Place, unquoted } from './shred.ts';

type Make = () => unknown;

interface Container {
  value: Record<string | number, unknown> | unknown[];
  /** Of the outermost array around it or of its own: values within, which are made when that is read. */
  parts: Part[] | undefined;
}

interface Part {
  inside: Container['value'];
  name: string | number;
  make: Make;
}

export class LayoutView {
  readonly #values: LeafValues;
  readonly #top: Container = { value: {}, parts: undefined };

  /** With what makes texts of values; those of many events are the same. */
  constructor(places: readonly Place[], leaves: readonly Leaf[], values: LeafValues, unquoted: (value: string) => string) {
    this.#values = values;
    const known = new Map<number, Container>();
    const containerOf = (id: number): Container => {
      const place = places[id];
      const found = place ? known.get(id) : this.#top;
      if (found) return found;
      const above = containerOf(place!.parent);
      const isArray = place!.kind === 'array';
      const container: Container = { value: isArray ? [] : {}, parts: above.parts ?? (isArray ? [] : undefined) };
      known.set(id, container);
      const { value, parts } = container;
      if (parts === above.parts) define(above, place!.key, { value });
      else define(above, place!.key, { get: this.#once(false, () => filled(value, parts!)) });
      return container;
    };
    const add = (parent: number, key: string, make: Make): void => {
      const inside = containerOf(parent);
      if (!inside.parts) define(inside, key, { get: make });
      else inside.parts.push({ inside: inside.value, name: define(inside, key, { value: '', writable: true }), make });
    };
    for (let at = 0; at < leaves.length; at++) {
      const { place, isFixed } = leaves[at]!;
      const { parent, kind, key } = places[place]!;
      const above = places[parent];
      if (isOneText(above?.kind)) {
        const [first, parts] = [at, [key]];
        for (; places[leaves[at + 1]?.place ?? -1]?.parent === parent; at++)
          parts.push((above!.kind === 'lines' ? '\n' : ',') + places[leaves[at + 1]!.place]!.key);
        add(
          above!.parent,
          above!.key,
          this.#once(false, () => joined(parts, (part) => unquoted(values.at(first + part)))),
        );
      } else {
        const position = at;
        const make = kind === 'string' ? () => unquoted(values.at(position)) : () => literalOf(values.at(position));
        add(parent, key, this.#once(isFixed, make));
      }
    }
    const [document] = known.values();
    if (document && !document.parts) markSteady(document.value as Record<string, unknown>);
  }

  /** The document of an event, until that of another takes its place. A value that is no JSON throws a SyntaxError when it is read. */
  of(event: number): unknown {
    this.#values.event = event;
    return (this.#top.value as Record<string, unknown>).$;
  }

  /** Makes a value once an event, one that is fixed once for all. */
  #once(isFixed: boolean, make: Make): Make {
    const values = this.#values;
    let madeOf = -1;
    let made: unknown;
    return () => {
      if (madeOf !== values.event && (madeOf < 0 || !isFixed)) {
        made = make();
        madeOf = values.event;
      }
      return made;
    };
  }
}

/** Adds a member, or an element behind the others; returns its name. */
function define({ value }: Container, key: string, property: PropertyDescriptor): string | number {
  const name = Array.isArray(value) ? value.length : key;
  Object.defineProperty(value, name, { ...property, enumerable: true, configurable: true });
  return name;
}

function filled(value: Container['value'], parts: readonly Part[]): Container['value'] {
  for (const { inside, name, make } of parts) (inside as Record<string | number, unknown>)[name] = make();
  return value;
}

function joined(parts: readonly string[], textOf: (part: number) => string): string {
  let text = '';
  for (let part = 0; part < parts.length; part++) text += parts[part]! + textOf(part);
  return text;
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
