/**
 * Texts of a block's events, the lines that lists show. They are made of values of their documents (`a.exe started by ann`): each is a template, whose
 * slots are the event's device, its user, or values of the document, which then stand here alone. Texts are JSON text without quotes, as values are.
 */
import { CorruptBlockError, type MadeTexts, type TextColumn } from './block.format.ts';
import type { Reader, Writer } from './bytes.ts';
import { bare, unquoted } from './shred.ts';

export interface Template {
  /** One more than slots. */
  literals: string[];
  /** Of each slot: the device, the user, or a place of the document. */
  slots: number[];
  /** The last slot holds the beginning of its value. */
  isCut: boolean;
}

/** Slots of heads; those of documents follow, and names at the end of paths. */
const deviceSlot = 0;
const userSlot = 1;
export const headSlots = 2;
export const nameSlots = 2 ** 20;

/** After the last separator of a path, of which JSON text writes each backslash twice. */
const nameIn = (path: string): string => path.slice(Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) + 1);

/** Shorter values are equal by chance. */
const minLength = 3;
/** Of a value whose text was cut: the beginning by which it is found. */
const minCut = 48;
const maxTries = 12;
const maxPerLayout = 8;
const maxTemplates = 1_000;

/** True without escapes but those of backslash and quote: parts of other texts do not stand alone. */
function isPlain(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at + 2))
    if (text[at + 1] !== '\\' && text[at + 1] !== '"') return false;
  return true;
}
const isWordByte = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123);
};

interface Known {
  number: number;
  template: Template;
  /** Position of each slot's value among the leaves, numbered as slots are. */
  leaves: number[];
}

interface Layout {
  tries: number;
  known: Known[];
  /** Positions of the leaves whose place occurs once, by which a slot can name them. */
  single: number[];
}

/** An event's text as a template with the values of its slots; without one as it is. */
export interface Fitted {
  template: Template;
  values: string[];
}

export class TextWriter {
  readonly #templates: Template[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #layouts: (Layout | undefined)[] = [];
  readonly #lists: readonly number[][];
  readonly #isFixed: (place: number) => boolean;
  readonly #numberOf: number[] = [];
  readonly #raw: string[] = [];
  readonly #columns = new Map<number, string[]>();

  /** With the layouts of documents, and whether a layout determines the value of a place: it is then no slot. */
  constructor(lists: readonly number[][], isFixed: (place: number) => boolean) {
    this.#lists = lists;
    this.#isFixed = isFixed;
  }

  /** The next event's text, with the layout of its document, its values, and its device and user. */
  add(text: string, skeleton: number, values: readonly string[], heads: readonly [string, string]): Fitted | undefined {
    const found = isPlain(text) ? this.#find(text, skeleton, values, heads) : undefined;
    this.#numberOf.push(found ? found.known.number + 1 : 0);
    if (!found) {
      this.#raw.push(text);
      return undefined;
    }
    const { template } = found.known;
    for (let at = 0; at < template.slots.length; at++) {
      const slot = template.slots[at]!;
      if (slot < headSlots) continue;
      const column = this.#columns.get(slot);
      if (column) column.push(found.values[at]!);
      else this.#columns.set(slot, [found.values[at]!]);
    }
    return { template, values: found.values };
  }

  #find(text: string, skeleton: number, values: readonly string[], heads: readonly [string, string]) {
    const places = this.#lists[skeleton]!;
    this.#layouts[skeleton] ??= {
      tries: 0,
      known: [],
      single: singles(places).filter((leaf) => !this.#isFixed(places[leaf]!)),
    };
    const layout = this.#layouts[skeleton];
    const valueAt = (leaf: number): string =>
      leaf >= nameSlots ? nameIn(valueAt(leaf - nameSlots)) : leaf < headSlots ? heads[leaf]! : values[leaf - headSlots]!;
    for (const known of layout.known) {
      const own = slotsOf(known, text, valueAt);
      if (own) return { known, values: own };
    }
    if (layout.tries >= maxTries || layout.known.length >= maxPerLayout) return undefined;
    layout.tries++;
    const own = layout.single.map((leaf) => leaf + headSlots);
    const named = own.filter((leaf) => nameIn(valueAt(leaf)).length < valueAt(leaf).length).map((leaf) => leaf + nameSlots);
    const parts = partsOf(text, [deviceSlot, userSlot, ...own, ...named], valueAt);
    if (!parts) return undefined;
    const slotOf = (leaf: number): number =>
      leaf >= nameSlots ? slotOf(leaf - nameSlots) + nameSlots : leaf < headSlots ? leaf : places[leaf - headSlots]! + headSlots;
    const slots = parts.leaves.map(slotOf);
    const number = this.#number({ literals: parts.literals, slots, isCut: parts.isCut });
    if (number === undefined) return undefined;
    const known = { number, template: this.#templates[number]!, leaves: parts.leaves };
    const found = slotsOf(known, text, valueAt);
    if (!found) return undefined;
    layout.known.push(known);
    return { known, values: found };
  }

  #number(template: Template): number | undefined {
    const key = JSON.stringify(template);
    const known = this.#numbers.get(key);
    if (known !== undefined || this.#templates.length >= maxTemplates) return known;
    this.#numbers.set(key, this.#templates.length);
    return this.#templates.push(template) - 1;
  }

  /** Texts that hold every word of the texts. */
  words(): string[] {
    const values = new Set(this.#raw);
    for (const column of this.#columns.values()) for (const value of column) values.add(value);
    return [...this.#templates.flatMap(({ literals }) => literals), ...values];
  }

  write(writer: Writer): void {
    writer.number(this.#templates.length);
    for (const { literals, slots, isCut } of this.#templates) {
      writer.number(slots.length);
      for (const slot of slots) writer.number(slot);
      writer.number(isCut ? 1 : 0);
      writer.text(literals.join('\n'));
    }
    writer.text(this.#numberOf.map((number) => number.toString(36)).join('\n'));
    writer.number(this.#raw.length);
    writer.text(this.#raw.join('\n'));
    writer.number(this.#columns.size);
    for (const [slot, values] of this.#columns) {
      writer.number(slot);
      writer.number(values.length);
      writer.text(values.join('\n'));
    }
  }
}

function singles(places: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const place of places) counts.set(place, (counts.get(place) ?? 0) + 1);
  return places.flatMap((place, leaf) => (counts.get(place) === 1 ? [leaf] : []));
}

/** Values of the slots if the template makes the text. */
function slotsOf({ template, leaves }: Known, text: string, valueAt: (leaf: number) => string): string[] | undefined {
  const { literals, isCut } = template;
  const values: string[] = [];
  let at = 0;
  for (let slot = 0; slot < leaves.length; slot++) {
    const leaf = leaves[slot]!;
    const literal = literals[slot]!;
    if (!text.startsWith(literal, at)) return undefined;
    at += literal.length;
    const value = valueAt(leaf);
    const isBeginning = isCut && slot === leaves.length - 1;
    const end = isBeginning ? text.length - literals[slot + 1]!.length : at + value.length;
    const own = isBeginning ? text.slice(at, end) : value;
    if (isBeginning ? end <= at || !value.startsWith(own) || isMidEscape(own) : !text.startsWith(value, at)) return undefined;
    values.push(own);
    at = end;
  }
  const last = literals[leaves.length]!;
  return text.length - at === last.length && text.endsWith(last) ? values : undefined;
}

/** True for a text that ends between a backslash and the character that it escapes. */
function isMidEscape(text: string): boolean {
  let slashes = 0;
  while (text[text.length - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

interface Part {
  from: number;
  to: number;
  leaf: number;
  isCut: boolean;
}

/** The text taken apart into values, the longest first, that no letter or digit touches: its words are then those of its parts. */
function partsOf(text: string, leaves: readonly number[], valueAt: (leaf: number) => string) {
  const byLength = leaves
    .map((leaf) => ({ leaf, value: valueAt(leaf) }))
    .filter(({ value }) => value.length >= minLength)
    // Of equal values the first one, or the path that it is the name of: the others are marks that repeat it.
    .sort((a, b) => b.value.length - a.value.length || (a.leaf % nameSlots) - (b.leaf % nameSlots));
  const parts: Part[] = [];
  const isFree = (from: number, to: number) => parts.every((part) => to < part.from || from > part.to);
  for (const { leaf, value } of byLength) {
    for (let from = text.indexOf(value); from >= 0; from = text.indexOf(value, from + 1)) {
      const to = from + value.length;
      if (!isFree(from, to) || !isApart(text, from) || isWordByte(text, to)) continue;
      parts.push({ from, to, leaf, isCut: false });
      break;
    }
  }
  const end = text.endsWith('…') ? text.length - 1 : 0;
  for (const { leaf, value } of end > 0 ? byLength : []) {
    const from = value.length < minCut || leaf >= nameSlots ? -1 : text.indexOf(value.slice(0, minCut));
    if (from < 0 || !isFree(from, end) || !isApart(text, from) || !value.startsWith(text.slice(from, end))) continue;
    parts.push({ from, to: end, leaf, isCut: true });
    break;
  }
  if (parts.length === 0) return undefined;
  parts.sort((a, b) => a.from - b.from);
  const literals = [...parts, { from: text.length }].map(({ from }, at) => text.slice(at === 0 ? 0 : parts[at - 1]!.to, from));
  return { literals, leaves: parts.map(({ leaf }) => leaf), isCut: parts.at(-1)!.isCut };
}

/** True where no word and no escape would be split. */
const isApart = (text: string, from: number): boolean =>
  from === 0 || (!isWordByte(text, from - 1) && !isMidEscape(text.slice(0, from)));

/** Texts of a block and the values of their slots, put together when they are read: most readers of heads need none, a page the last ones. */
export class Texts implements MadeTexts {
  readonly #templates: Template[] = [];
  readonly #numberOf: Uint16Array;
  readonly #raw: string[];
  readonly #columns = new Map<number, string[]>();
  readonly #names: readonly [devices: readonly (string | null)[], users: readonly (string | null)[]];
  /** Of each event: place of the first of its slots in `#ordinals`, which has each slot's place in its column; of a text as it is, its place. */
  readonly #starts: Uint32Array;
  readonly #ordinals: Uint32Array;
  readonly #bare: readonly [(event: number) => string, (event: number) => string];
  #all: string[] | undefined;
  #pieces: string | undefined;

  /** Throws a RangeError or CorruptBlockError for other bytes than were written. */
  constructor(
    reader: Reader,
    count: number,
    names: readonly [devices: readonly (string | null)[], users: readonly (string | null)[]],
  ) {
    this.#names = names;
    this.#bare = [bareNames(names[0]), bareNames(names[1])];
    const templates = reader.number();
    for (let at = 0; at < templates; at++) {
      const slots = Array.from({ length: reader.number() }, () => reader.number());
      const isCut = reader.number() === 1;
      const literals = reader.text().split('\n');
      if (literals.length !== slots.length + 1) throw new RangeError('A template has another number of parts.');
      this.#templates.push({ literals, slots, isCut });
    }
    const numbers = reader.text().split('\n');
    if (numbers.length !== count) throw new RangeError('A column has another number of values.');
    this.#numberOf = Uint16Array.from(numbers, (number) => Number.parseInt(number, 36));
    this.#raw = columnOf(reader, reader.number());
    for (let left = reader.number(); left > 0; left--) {
      const slot = reader.number();
      this.#columns.set(slot, columnOf(reader, reader.number()));
    }
    this.#starts = new Uint32Array(count + 1);
    for (let event = 0; event < count; event++) {
      const number = this.#numberOf[event]!;
      if (number > templates) throw new CorruptBlockError('A template is missing.');
      this.#starts[event + 1] = this.#starts[event]! + (number === 0 ? 1 : this.#templates[number - 1]!.slots.length);
    }
    this.#ordinals = this.#ordered();
  }

  /** Throws a CorruptBlockError unless there are as many values as slots. */
  #ordered(): Uint32Array {
    const ordinals = new Uint32Array(this.#starts.at(-1)!);
    const used = new Map([...this.#columns.keys()].map((slot) => [slot, { next: 0 }]));
    const cursors = this.#templates.map(({ slots }) => slots.map((slot) => (slot < headSlots ? undefined : used.get(slot))));
    let plain = 0;
    let at = 0;
    for (const number of this.#numberOf) {
      if (number === 0) ordinals[at++] = plain++;
      else for (const cursor of cursors[number - 1]!) ordinals[at++] = cursor ? cursor.next++ : 0;
    }
    for (const { slots } of this.#templates)
      if (slots.some((slot) => slot >= headSlots && !used.has(slot)))
        throw new CorruptBlockError('A value of a text is missing.');
    const isRight = plain === this.#raw.length && [...used].every(([slot, { next }]) => next === this.#columns.get(slot)!.length);
    if (!isRight) throw new CorruptBlockError('Values of texts are missing.');
    return ordinals;
  }

  at(event: number): string {
    if (this.#all) return this.#all[event]!;
    const template = this.#templates[this.#numberOf[event]! - 1];
    if (!template) return unquoted(this.#raw[this.#ordinals[this.#starts[event]!]!]!);
    let text = template.literals[0]!;
    for (let slot = 0; slot < template.slots.length; slot++)
      text += this.#valueOf(event, template, slot) + template.literals[slot + 1]!;
    return unquoted(text);
  }

  #valueOf(event: number, { slots }: Template, at: number): string {
    const slot = slots[at]!;
    return slot < headSlots ? this.#bare[slot]!(event) : this.#columns.get(slot)![this.#ordinals[this.#starts[event]! + at]!]!;
  }

  /** By event. */
  get all(): string[] {
    this.#all ??= Array.from(this.#numberOf, (_, event) => this.at(event));
    return this.#all;
  }

  /** False if no text has a literal, in lower case: words lie within one piece. */
  mayContain(literal: string): boolean {
    this.#pieces ??= [
      ...this.#templates.flatMap(({ literals }) => literals),
      ...this.#raw,
      ...[...this.#columns.values()].map((values) => values.join('\n')),
      ...new Set(this.#names.flat()),
    ]
      .join('\n')
      .toLowerCase();
    const words = literal.match(/[\da-z]+/g) ?? [];
    return words.every((word) => this.#pieces!.includes(word));
  }

  /** The part of a place's value that the event's text has: its beginning, or its name. */
  valueOf(event: number, place: number, isName: boolean): string | undefined {
    const template = this.#templates[this.#numberOf[event]! - 1];
    const at = template?.slots.indexOf(place + headSlots + (isName ? nameSlots : 0)) ?? -1;
    return template && at >= 0 ? this.#valueOf(event, template, at) : undefined;
  }

  *columns(): Generator<TextColumn> {
    const cut = new Set(this.#templates.flatMap(({ slots, isCut }) => (isCut ? slots.slice(-1) : [])));
    for (const [slot, values] of this.#columns)
      yield { place: (slot - headSlots) % nameSlots, values, isCut: cut.has(slot), events: () => this.#eventsOf(slot) };
  }

  #eventsOf(slot: number): Uint32Array {
    const times = this.#templates.map(({ slots }) => slots.filter((each) => each === slot).length);
    const events: number[] = [];
    for (const [event, number] of this.#numberOf.entries())
      if (number > 0) for (let left = times[number - 1]!; left > 0; left--) events.push(event);
    return Uint32Array.from(events);
  }

  /** True for an event whose text has the beginning of a value alone: the rest stands in its document. */
  isCut(event: number): boolean {
    return this.#templates[this.#numberOf[event]! - 1]?.isCut === true;
  }

  get hasCut(): boolean {
    return this.#templates.some(({ isCut }) => isCut);
  }
}

/** Names of events as JSON text without quotes. */
function bareNames(names: readonly (string | null)[]): (event: number) => string {
  const known = new Map<string | null, string>([[null, '']]);
  return (event) => {
    const name = names[event]!;
    let text = known.get(name);
    if (text === undefined) {
      text = bare(name ?? '');
      known.set(name, text);
    }
    return text;
  };
}

function columnOf(reader: Reader, count: number): string[] {
  const text = reader.text();
  const values = count === 0 ? [] : text.split('\n');
  if (values.length !== count) throw new RangeError('A column has another number of values.');
  return values;
}
