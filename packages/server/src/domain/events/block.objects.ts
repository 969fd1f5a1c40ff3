/** Documents made of a block's values as JSON.parse makes them of their text, without that text. */
import { bare, isOneText, type Place, unquoted } from './shred.ts';

type Node =
  | { kind: 'string' | 'literal'; leaf: number }
  | { kind: 'text'; leaf: number; parts: string[] }
  | { kind: 'object'; names: string[]; inside: Node[] }
  | { kind: 'array'; inside: Node[] };

/** Of the values of a layout's leaves, in their order. */
export type DocumentMaker = (values: readonly string[]) => unknown;

/** Throws a SyntaxError for values that are no JSON, as all that it returns. */
export function makerOf(places: readonly Place[], skeleton: readonly number[]): DocumentMaker {
  const known = new Map<number, Node>();
  let top: Node | undefined;
  const enter = (place: Place, node: Node): Node => {
    const parent = places[place.parent];
    if (!parent) top = node;
    else {
      const container = containerOf(parent);
      if (container.kind === 'object') container.names.push(place.key);
      if (container.kind === 'object' || container.kind === 'array') container.inside.push(node);
    }
    return node;
  };
  const containerOf = (place: Place): Node => {
    const node = known.get(place.id) ?? enter(place, place.kind === 'array' ? { kind: 'array', inside: [] } : objectNode());
    known.set(place.id, node);
    return node;
  };
  for (const [leaf, id] of skeleton.entries()) {
    const place = places[id]!;
    const parent = places[place.parent];
    if (!isOneText(parent?.kind)) enter(place, { kind: place.kind === 'string' ? 'string' : 'literal', leaf });
    else {
      // Labels and values of one text, the leaves of which follow each other.
      let text = known.get(parent!.id);
      if (text?.kind !== 'text') {
        text = enter(parent!, { kind: 'text', leaf, parts: [] });
        known.set(parent!.id, text);
      }
      const { parts } = text as Node & { kind: 'text' };
      const separator = parts.length === 0 ? '' : parent!.kind === 'lines' ? '\\n' : ',';
      parts.push(separator + bare(place.key));
    }
  }
  return (values) => made(top!, values);
}

const objectNode = (): Node => ({ kind: 'object', names: [], inside: [] });

function made(node: Node, values: readonly string[]): unknown {
  switch (node.kind) {
    case 'string':
      return unquoted(values[node.leaf]!);
    case 'literal':
      return literalOf(values[node.leaf]!);
    case 'text':
      return unquoted(node.parts.map((part, at) => part + values[node.leaf + at]!).join(''));
    case 'array':
      return node.inside.map((each) => made(each, values));
    case 'object': {
      const object: Record<string, unknown> = {};
      const { names, inside } = node;
      for (let at = 0; at < names.length; at++) {
        const name = names[at]!;
        const value = made(inside[at]!, values);
        if (name === '__proto__')
          Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
        else object[name] = value;
      }
      return object;
    }
  }
}

const whole = /^[1-9]\d{0,14}$/;
const literalOf = (value: string): unknown =>
  value === 'true' ? true : value === 'false' ? false : whole.test(value) ? Number(value) : JSON.parse(value);
