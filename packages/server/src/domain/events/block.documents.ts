/** Documents of a block: their JSON text, one field of all, and the events that a text may occur in. */

import { derive, formCount } from './block.derive.ts';
import type { Heads } from './block.format.ts';
import {
  byArrival,
  byId,
  byLayout,
  CorruptBlockError,
  devicePlace,
  difference,
  firstVersion,
  headPlaces,
  inText,
  isoTime,
  nameInText,
  predicted,
  same,
  textPlace,
  thirdVersion,
  userPlace,
} from './block.format.ts';
import { type Leaf, LeafValues, leavesBy, unquoting } from './block.leaves.ts';
import { couldBeInTime, isTimeWith, partWithinLine } from './block.literals.ts';
import type { LayoutView, LayoutViews } from './block.objects.ts';
import { below, Columns, type DocumentParts, devicesOf, readTables, type Table } from './block.parts.ts';
import { type Positions, positionsOf } from './block.positions.ts';
import { Values } from './block.values.ts';
import { Reader } from './bytes.ts';
import { idAt } from './eventIds.ts';
import { valueAt } from './fields.ts';
import { bare, type Kind, kindOf, type Place, piecesOf, unquoted } from './shred.ts';

const lineFeed = 10;
/** Behind the codes of marks. */
const markEnd = 8;
/** Bytes of columns that are searched as one text: a longer one would outlive the quick collection of garbage. */
const searchedAtOnce = 64 * 1024;

interface DocumentsOf {
  heads: Heads;
  ids: Buffer;
  layouts: LayoutViews;
}

export class Documents {
  readonly #heads: Heads;
  readonly #ids: Buffer;
  readonly #count: number;
  readonly #places: Place[] = [];
  readonly #sources: number[] = [];
  /** Forms of the sources' values (block.derive.ts). */
  readonly #forms: readonly number[];
  /** Of places with predicted values: these by layout or device. */
  readonly #tables: (Table | undefined)[] = [];
  #deviceOf: Uint32Array | undefined;
  readonly #skeletons: number[][] = [];
  readonly #texts: ({ pieces: string[]; values: LeafValues } | undefined)[] = [];
  readonly #layouts: LayoutViews;
  #paths: number[] | undefined;
  readonly #views: ({ view: LayoutView; values: LeafValues } | undefined)[] = [];
  readonly #skeletonOf: Uint32Array;
  /** Of all values, found when the first one is read: a search without hits reads none. */
  #positions: Positions | undefined;
  readonly #columns: Columns;
  readonly #values: Values;
  #leaves: ((skeleton: number) => Leaf[]) | undefined;
  readonly #unquoted = unquoting();

  constructor({ heads, ids, layouts }: DocumentsOf, bytes: Buffer, count: number, ofVersion: number) {
    const [hasTables, hasForms] = [ofVersion > firstVersion, ofVersion > thirdVersion];
    this.#heads = heads;
    this.#ids = ids;
    this.#layouts = layouts;
    this.#count = count;
    const reader = new Reader(bytes);
    const places = reader.number();
    for (let id = 0; id < places; id++) {
      const parent = reader.number() - 1;
      const kind = kindOf(reader.number());
      if (!kind || parent >= id) throw new RangeError('A place is unknown.');
      this.#places.push({ id, parent, kind, key: unquoted(reader.text()) });
    }
    for (let id = 0; id < places; id++) this.#sources.push(reader.short());
    this.#forms = hasForms ? [...reader.take(places)].map((form) => below(formCount, form)) : [];
    if (hasTables) this.#tables = readTables(reader, places);
    const skeletons = reader.number();
    for (let at = 0; at < skeletons; at++)
      this.#skeletons.push(Array.from({ length: reader.number() }, () => below(places, reader.short())));
    this.#skeletonOf = new Uint32Array(count);
    for (let event = 0; event < count; event++) this.#skeletonOf[event] = below(skeletons, reader.number());
    const lengths = Array.from({ length: places }, () => reader.number());
    this.#columns = new Columns(reader, lengths, hasTables, hasForms);
    this.#values = new Values(this.#columnOf);
  }

  /** JSON text of an event’s document. */
  text(event: number): string {
    const skeleton = this.#skeletonOf[event]!;
    this.#texts[skeleton] ??= { pieces: piecesOf(this.#places, this.#skeletons[skeleton]!), values: this.#valuesOf(skeleton) };
    const { pieces, values } = this.#texts[skeleton];
    values.event = event;
    let text = pieces[0]!;
    for (let leaf = 1; leaf < pieces.length; leaf++) text += values.at(leaf - 1) + pieces[leaf]!;
    return text;
  }

  /**
   * An event's document as JSON.parse makes it of its text, until that of another event is viewed. Its values are read when they are first needed; its
   * strings hold the block in memory.
   */
  view(event: number): unknown {
    const skeleton = this.#skeletonOf[event]!;
    this.#views[skeleton] ??= this.#viewOf(skeleton);
    const { view, values } = this.#views[skeleton];
    values.event = event;
    return view.of(values);
  }

  #viewOf(skeleton: number): { view: LayoutView; values: LeafValues } {
    this.#paths ??= this.#layouts.pathsOf(this.#places);
    const view = this.#layouts.of(this.#places, this.#paths, this.#skeletons[skeleton]!);
    return { view, values: this.#valuesOf(skeleton) };
  }

  #leavesOf(skeleton: number): Leaf[] {
    this.#leaves ??= leavesBy(this.parts(), this.#positionsOf().counts);
    return this.#leaves(skeleton);
  }

  #valuesOf(skeleton: number): LeafValues {
    const { starts, ordinals, counts } = this.#positionsOf();
    return new LeafValues(this.#leavesOf(skeleton), {
      own: (event, position, { place, head, isRepeated }) => {
        const written = isRepeated ? same : this.#values.at(place, ordinals[starts[event]! + position]!, counts[place]!);
        if (written === same) return head < 0 ? undefined : this.#derived(place, this.#headValue(head, event));
        const value = this.#valueIn(written, place, event);
        if (value === undefined) throw new CorruptBlockError('A column ends too early.');
        return value;
      },
      derived: (place, value) => this.#derived(place, value),
      unquoted: this.#unquoted,
    });
  }

  /** Values of one string field by event, by its names from the top; undefined where it is missing or no string. */
  column(path: readonly string[]): (string | undefined)[] {
    const place = this.#placeOf(path);
    const values = new Array<string | undefined>(this.#count).fill(undefined);
    for (const event of this.#eventsInOtherForm(path)) {
      const value = valueAt(JSON.parse(this.text(event)), ...path);
      if (typeof value === 'string') values[event] = value;
    }
    if (place === undefined) return values;
    const { starts, ordinals } = this.#positionsOf();
    const leaves = this.#skeletons.map((places) => places.indexOf(place));
    // Few different ones: each is one string.
    const known = new Map<string, string>();
    for (let event = 0; event < this.#count; event++) {
      const leaf = leaves[this.#skeletonOf[event]!]!;
      if (leaf < 0) continue;
      const written = this.#valueOf(place, ordinals[starts[event]! + leaf]!);
      if (written === undefined) throw new CorruptBlockError('A column ends too early.');
      // A value that repeats another one needs the leaves before it.
      const value = unquoted(written === same ? this.#earlier(event, leaf) : this.#valueIn(written, place, event));
      values[event] = known.get(value) ?? value;
      known.set(value, value);
    }
    return values;
  }

  /** Events whose field is a text of several lines or pairs, which is taken apart, or whose document is one leaf. */
  #eventsInOtherForm(path: readonly string[]): number[] {
    const texts = [this.#placeOf(path, 'lines'), this.#placeOf(path, 'pairs')];
    const other = new Set(
      this.#places.flatMap(({ id, parent, kind }) =>
        (parent >= 0 && texts.includes(parent)) || (parent < 0 && kind === 'literal') ? [id] : [],
      ),
    );
    if (other.size === 0) return [];
    const skeletons = this.#skeletons.map((places) => places.some((place) => other.has(place)));
    return [...this.#skeletonOf].flatMap((skeleton, event) => (skeletons[skeleton] ? [event] : []));
  }

  #placeOf(path: readonly string[], kind: Kind = 'string'): number | undefined {
    let parent = this.#places.find(({ parent, kind }) => parent < 0 && kind === 'object')?.id;
    for (const [depth, key] of path.entries()) {
      const wanted = depth === path.length - 1 ? kind : 'object';
      const inside = parent;
      if (inside === undefined) return undefined;
      parent = this.#places.find(
        (place) => place.parent === inside && place.kind === wanted && bare(place.key) === bare(key),
      )?.id;
    }
    return parent;
  }

  /** Value that a leaf repeats. */
  #earlier(event: number, leaf: number): string {
    const places = this.#skeletons[this.#skeletonOf[event]!]!;
    const source = this.#sources[places[leaf]!]! - 1;
    if (source >= 0 && source < headPlaces) return this.#derived(places[leaf]!, this.#headValue(source, event));
    const from = places.lastIndexOf(source - headPlaces, leaf - 1);
    if (from < 0) throw new CorruptBlockError('A repeated value is missing.');
    const { starts, ordinals } = this.#positionsOf();
    const written = this.#valueOf(places[from]!, ordinals[starts[event]! + from]!);
    if (written === undefined) throw new CorruptBlockError('A column ends too early.');
    const value = written === same ? this.#earlier(event, from) : this.#valueIn(written, places[from]!, event);
    return this.#derived(places[leaf]!, value);
  }

  /** Value of what a column has of it, but for a repeated one. */
  #valueIn(written: string, place: number, event: number): string;
  #valueIn(written: string | undefined, place: number, event: number): string | undefined;
  #valueIn(written: string | undefined, place: number, event: number): string | undefined {
    // Most values are no marks.
    if (written === undefined || !(written.charCodeAt(0) < markEnd)) return written;
    if (written === predicted) return this.#predicted(place, event);
    const mark = written[0];
    if (mark !== inText && mark !== nameInText) return written;
    const part = this.#heads.texts?.valueOf(event, place, mark === nameInText);
    if (part === undefined) throw new CorruptBlockError('A value is missing in its text.');
    return mark === inText ? part + written.slice(1) : written.slice(1) + part;
  }

  #contextOf(by: number, event: number): number {
    return by === byLayout ? this.#skeletonOf[event]! : this.#devices()[event]!;
  }

  #devices(): Uint32Array {
    this.#deviceOf ??= devicesOf(this.#heads.deviceName);
    return this.#deviceOf;
  }

  parts(): DocumentParts {
    return {
      count: this.#count,
      heads: this.#heads,
      places: this.#places,
      sources: this.#sources,
      tables: this.#tables,
      skeletons: this.#skeletons,
      skeletonOf: this.#skeletonOf,
      deviceOf: () => this.#devices(),
      columnOf: this.#columnOf,
    };
  }

  #predicted(place: number, event: number): string {
    const table = this.#tables[place];
    if (table?.by === byId) return idAt(this.#ids, event);
    if (table?.by === byArrival) return isoTime(this.#heads.receivedAt[event]!);
    const value = table?.values.get(this.#contextOf(table.by, event));
    if (value === undefined) throw new CorruptBlockError('A predicted value is missing.');
    return value;
  }

  #positionsOf(): Positions {
    this.#positions ??= positionsOf(this.#skeletons, this.#skeletonOf, this.#places.length);
    return this.#positions;
  }

  /** Value of an event's own, by its number before those of places. */
  #headValue(source: number, event: number): string {
    const { at, text, texts, deviceName, userName } = this.#heads;
    if (source === textPlace) return bare(texts?.at(event) ?? text[event]!);
    if (source === devicePlace) return bare(deviceName[event] ?? '');
    return source === userPlace ? bare(userName[event] ?? '') : isoTime(at[event]!);
  }

  /** Value of a place by that of its source. */
  #derived(place: number, value: string): string {
    const derived = derive(this.#forms[place] ?? 0, value);
    if (derived === undefined) throw new CorruptBlockError('A value has no such form.');
    return derived;
  }

  #columnOf = (place: number): Buffer => this.#columns.of(place);

  #valueOf(place: number, ordinal: number): string | undefined {
    return this.#values.at(place, ordinal, this.#positionsOf().counts[place]!);
  }

  /**
   * Events whose text may contain a text of `literals` (kql/literals.ts), in lower case, or their document in a value or the name of a field; all others
   * do not. 1 for each of them.
   */
  candidates(literal: string): Uint8Array {
    const found = new Uint8Array(this.#count);
    const needle = partWithinLine(
      literal,
      this.#places.some(({ kind }) => kind === 'pairs'),
    );
    if (needle === '') return found.fill(1);
    this.#noteTextsWith(needle, found);
    const places = this.#placesWith(needle);
    const isInTime = couldBeInTime(needle);
    const times = isInTime ? this.#timePlaces() : undefined;
    const contexts = this.#contextsWith(needle);
    if (this.#tables.some((table) => table?.by === byId)) this.#noteIdsWith(needle, found);
    const isHit = places.size > 0 || contexts.size > 0 || isInTime;
    if (!isHit) return found;
    const { starts, ordinals } = this.#positionsOf();
    for (let event = 0; event < this.#count; event++) {
      if (isInTime && [this.#heads.at[event]!, this.#heads.receivedAt[event]!].some((at) => isTimeWith(at, needle))) {
        found[event] = 1;
        continue;
      }
      const skeleton = this.#skeletons[this.#skeletonOf[event]!]!;
      for (let leaf = 0, at = starts[event]!; leaf < skeleton.length && found[event] === 0; leaf++, at++) {
        const place = skeleton[leaf]!;
        const hits = places.get(place);
        const table = contexts.get(place);
        if (hits === 'all' || hits?.has(ordinals[at]!)) found[event] = 1;
        else if (table?.has(this.#contextOf(this.#tables[place]!.by, event))) found[event] = 1;
        else if (times?.has(place) && this.#valueOf(place, ordinals[at]!)?.toLowerCase().includes(needle)) found[event] = 1;
      }
    }
    return found;
  }

  /** Marks events whose text has the needle, or the beginning of a value whose rest may end it. */
  #noteTextsWith(needle: string, found: Uint8Array): void {
    const { texts } = this.#heads;
    if (texts?.hasCut) for (let event = 0; event < this.#count; event++) if (texts.isCut(event)) found[event] = 1;
    if (texts?.mayContain(needle) === false) return;
    const { text } = this.#heads;
    for (let event = 0; event < this.#count; event++) if (text[event]!.toLowerCase().includes(needle)) found[event] = 1;
  }

  /** Marks events whose id may have the text. */
  #noteIdsWith(needle: string, found: Uint8Array): void {
    if (!/^[\da-f-]+$/.test(needle)) return;
    const digits = needle.replaceAll('-', '');
    if (digits === '') return void found.fill(1);
    const hex = this.#ids.toString('hex');
    for (let at = hex.indexOf(digits); at >= 0; at = hex.indexOf(digits, at + 1)) found[Math.floor(at / 32)] = 1;
  }

  /** Positions of the values with a text, by place; 'all' for those whose name has it. */
  #placesWith(needle: string): Map<number, Set<number> | 'all'> {
    const places = new Map<number, Set<number> | 'all'>();
    // Names of fields and labels count as well; parents come before their children.
    const named = new Set<number>();
    for (const { id, parent, key } of this.#places)
      if (named.has(parent) || bare(key).toLowerCase().includes(needle)) {
        named.add(id);
        places.set(id, 'all');
      }
    const note = (place: number, line: number) => {
      const known = places.get(place);
      if (known === undefined) places.set(place, new Set([line]));
      else if (known !== 'all') known.add(line);
    };
    let place = 0;
    let line = 0;
    let counted = 0;
    // One hit a line.
    let next = 0;
    const { bytes, ends } = this.#columns.joined();
    for (let from = 0; from < bytes.length; from += searchedAtOnce) {
      // By bytes: other characters than ASCII do not matter to a text of ASCII.
      const text = bytes.toString('latin1', from, from + searchedAtOnce + needle.length - 1).toLowerCase();
      for (let hit = text.indexOf(needle, next - from); hit >= 0; hit = text.indexOf(needle, next - from)) {
        const at = from + hit;
        while (at >= ends[place]!) {
          counted = ends[place]!;
          place++;
          line = 0;
        }
        for (let feed = bytes.indexOf(lineFeed, counted); feed < at; feed = bytes.indexOf(lineFeed, counted)) {
          line++;
          counted = feed + 1;
        }
        note(place, line);
        next = Math.max(bytes.indexOf(lineFeed, at), at + 1);
      }
    }
    return places;
  }

  /** Layouts or devices whose predicted value has the text, by place. */
  #contextsWith(needle: string): Map<number, Set<number>> {
    const places = new Map<number, Set<number>>();
    for (const [place, table] of this.#tables.entries()) {
      const hits = [...(table?.values ?? [])].filter(([, value]) => value.toLowerCase().includes(needle));
      if (hits.length > 0) places.set(place, new Set(hits.map(([context]) => context)));
    }
    return places;
  }

  #timePlaces(): Set<number> {
    return new Set(this.#places.flatMap(({ id }) => (this.#columnOf(id).includes(difference) ? [id] : [])));
  }
}
