/**
 * Documents taken apart into columns, one for each path, so that values of one field are compressed together. The order of a document’s leaves (its
 * skeleton) rebuilds its JSON text exactly. Values are JSON text without the quotes, so they hold no line feed.
 */
export type Kind = 'object' | 'array' | 'lines' | 'string' | 'literal' | 'pairs';

/** A place in documents: a container, or a leaf with values. */
export interface Place {
  id: number;
  parent: number;
  kind: Kind;
  key: string;
}

/** A document taken apart: the number of its layout, and its values in order. */
export interface Shredded {
  skeleton: number;
  values: string[];
}

const kinds: readonly Kind[] = ['object', 'array', 'lines', 'string', 'literal', 'pairs'];
const numbers: Readonly<Record<Kind, number>> = { object: 0, array: 1, lines: 2, string: 3, literal: 4, pairs: 5 };
export const kindNumber = (kind: Kind): number => numbers[kind];
export const kindOf = (number: number): Kind | undefined => kinds[number];

/** Documents beyond are one leaf of JSON text: their columns would cost more than they save. */
const maxLeaves = 2_000;
const maxDepth = 40;
const maxPlaces = 40_000;
/** A text of fewer lines is a leaf. */
const minLines = 3;
const maxLines = 200;

const escaped = /[\x00-\x1f"\\\ud800-\udfff]/;
const escapes = Uint8Array.from({ length: 128 }, (_, code) => (escaped.test(String.fromCharCode(code)) ? 1 : 0));
/** Of longer texts the expression is faster. */
const maxLoop = 48;
/** False for a text without any character that JSON escapes, or may. */
function hasEscape(text: string): boolean {
  if (text.length > maxLoop) return escaped.test(text);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 ? escapes[code] === 1 : code >= 0xd8_00 && code <= 0xdf_ff) return true;
  }
  return false;
}

/** JSON text of a string without its quotes. */
export const bare = (text: string): string => (hasEscape(text) ? JSON.stringify(text).slice(1, -1) : text);
export const unquoted = (value: string): string => (value.includes('\\') ? (JSON.parse(`"${value}"`) as string) : value);

/** Places of documents, and their layouts: each list of places once. */
export class Places {
  readonly all: Place[] = [];
  readonly lists: number[][] = [];
  readonly #known: (Map<string, number> | undefined)[] = [];
  readonly #byHash = new Map<number, number[]>();
  /** Of each place the one that followed it last: documents of one layout follow each other. */
  readonly #after: number[] = [];
  #last = 0;
  /** Leaves of the current document. */
  readonly #places = new Uint32Array(maxLeaves);
  readonly #values = new Array<string>(maxLeaves);
  length = 0;

  of(parent: number, kind: Kind, key: string): number {
    const guess = this.all[this.#after[this.#last]!];
    const id =
      guess !== undefined && guess.key === key && guess.parent === parent && guess.kind === kind
        ? guess.id
        : this.#find(parent, kind, key);
    this.#after[this.#last] = id;
    this.#last = id;
    return id;
  }

  #find(parent: number, kind: Kind, key: string): number {
    const slot = (parent + 1) * kinds.length + kindNumber(kind);
    this.#known[slot] ??= new Map();
    const known = this.#known[slot];
    let id = known.get(key);
    if (id === undefined) {
      id = this.all.push({ id: this.all.length, parent, kind, key }) - 1;
      known.set(key, id);
      this.#after.push(id);
    }
    return id;
  }

  add(place: number, value: string): void {
    if (this.length === maxLeaves) throw new TooLarge();
    this.#places[this.length] = place;
    this.#values[this.length++] = value;
  }

  /** Leaves that were added since the last call. */
  take(): Shredded {
    const shredded = { skeleton: this.#layout(), values: this.#values.slice(0, this.length) };
    this.length = 0;
    return shredded;
  }

  #layout(): number {
    let hash = this.length;
    for (let at = 0; at < this.length; at++) hash = (Math.imul(hash, 31) + this.#places[at]!) | 0;
    let known = this.#byHash.get(hash);
    if (!known) {
      known = [];
      this.#byHash.set(hash, known);
    }
    for (const number of known) if (this.#isList(this.lists[number]!)) return number;
    known.push(this.lists.length);
    return this.lists.push([...this.#places.subarray(0, this.length)]) - 1;
  }

  #isList(list: readonly number[]): boolean {
    if (list.length !== this.length) return false;
    for (let at = 0; at < list.length; at++) if (list[at] !== this.#places[at]) return false;
    return true;
  }
}

class TooLarge extends Error {}

/** Takes a document apart; what JSON leaves out is left out. */
export function shred(places: Places, document: Readonly<Record<string, unknown>>): Shredded {
  try {
    if (places.all.length > maxPlaces) throw new TooLarge();
    walk(places, -1, '$', document, 0);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    places.length = 0;
    places.add(places.of(-1, 'literal', '$'), JSON.stringify(document));
  }
  return places.take();
}

/** True for a value with JSON text of its own; `in` would search each object and all above it. */
const isOwnJson = ({ rawJSON, toJSON }: { rawJSON?: unknown; toJSON?: unknown }): boolean =>
  rawJSON !== undefined || toJSON !== undefined;

function walk(places: Places, parent: number, key: string, value: unknown, depth: number): void {
  if (typeof value === 'string') {
    addText(places, parent, key, value);
    return;
  }
  if (typeof value !== 'object' || value === null || isOwnJson(value)) {
    places.add(places.of(parent, 'literal', key), JSON.stringify(value) ?? 'null');
    return;
  }
  if (depth > maxDepth) throw new TooLarge();
  const before = places.length;
  if (Array.isArray(value)) {
    const place = places.of(parent, 'array', key);
    for (let index = 0; index < value.length; index++) walk(places, place, String(index), value[index] ?? null, depth + 1);
  } else {
    const place = places.of(parent, 'object', key);
    // Without a list of the names: JSON text has no inherited ones.
    for (const name in value) {
      const child = (value as Record<string, unknown>)[name];
      if (typeof child === 'string') addText(places, place, name, child);
      else if (child !== undefined && typeof child !== 'function' && typeof child !== 'symbol')
        walk(places, place, name, child, depth + 1);
    }
  }
  if (places.length === before) places.add(places.of(parent, 'literal', key), Array.isArray(value) ? '[]' : '{}');
}

/** Hashes of a file as Sysmon lists them. */
const hashPairs = /^[A-Z\d]{1,12}=[\da-fA-F]{16,128}(?:,[A-Z\d]{1,12}=[\da-fA-F]{16,128}){1,5}$/;
const minPairs = 32;
/** True for a container whose leaves are parts of one text. */
export const isOneText = (kind: Kind | undefined): boolean => kind === 'lines' || kind === 'pairs';

/** As Windows writes it: `Label: value`, or with tabs. */
const labelOf = /^.{1,59}?:(?: |\t+)/;

/** Lines of the form `Label: value`, as Windows writes its messages: labels belong to the place, values repeat other fields. */
function addText(places: Places, parent: number, key: string, text: string): void {
  if (text.length <= minPairs && !hasEscape(text)) {
    places.add(places.of(parent, 'string', key), text);
    return;
  }
  const lines = text.includes('\n') ? text.split('\n') : [];
  if (lines.length < minLines || lines.length > maxLines) {
    if (text.length > minPairs && text.length < 700 && hashPairs.test(text)) {
      const place = places.of(parent, 'pairs', key);
      for (const pair of text.split(',')) {
        const at = pair.indexOf('=') + 1;
        places.add(places.of(place, 'string', pair.slice(0, at)), pair.slice(at));
      }
      return;
    }
    places.add(places.of(parent, 'string', key), bare(text));
    return;
  }
  const place = places.of(parent, 'lines', key);
  for (const line of lines) {
    // It ends with a space or tab: an unpaired half of a character must not meet its other half where the parts are joined.
    const label = labelOf.exec(line)?.[0] ?? '';
    places.add(places.of(place, 'string', label), bare(line.slice(label.length)));
  }
}

/** A document’s JSON text as pieces between its leaves: one more than leaves. */
export function piecesOf(places: readonly Place[], skeleton: ArrayLike<number>): string[] {
  const pieces: string[] = [];
  let open: Place[] = [];
  let text = '';
  for (let index = 0; index < skeleton.length; index++) {
    const leaf = places[skeleton[index]!]!;
    const path: Place[] = [];
    for (let place = places[leaf.parent]; place; place = places[place.parent]) path.unshift(place);
    const shared = sharedOf(open, path, index > 0);
    text += closing(open.slice(shared));
    // Pairs of one text have the separator of members.
    if (index > 0) text += open[shared - 1]?.kind === 'lines' ? '\\n' : ',';
    for (const [depth, place] of path.slice(shared).entries()) text += nameOf(path[shared + depth - 1], place) + opening(place);
    const inside = path.at(-1);
    text += nameOf(inside, leaf);
    const isQuoted = leaf.kind === 'string' && !isOneText(inside?.kind);
    pieces.push(isQuoted ? `${text}"` : text);
    text = isQuoted ? '"' : '';
    open = path;
  }
  pieces.push(text + closing(open));
  return pieces;
}

function sharedOf(open: readonly Place[], path: readonly Place[], isFollowing: boolean): number {
  if (!isFollowing) return 0;
  let shared = 0;
  while (shared < open.length && shared < path.length && open[shared]!.id === path[shared]!.id) shared++;
  return shared;
}

const opening = ({ kind }: Place): string => (kind === 'array' ? '[' : isOneText(kind) ? '"' : '{');
const closing = (open: readonly Place[]): string =>
  [...open]
    .reverse()
    .map(({ kind }) => (kind === 'array' ? ']' : isOneText(kind) ? '"' : '}'))
    .join('');

function nameOf(inside: Place | undefined, { key }: Place): string {
  if (!inside || inside.kind === 'array') return '';
  return isOneText(inside.kind) ? bare(key) : `${JSON.stringify(key)}:`;
}
