/**
 * Events of a block that can match rules, by texts that their JSON must have, found in columns and tables without reading a document
 * (docs/decisions/0143-rules-over-stored-blocks.md). A value that repeats another, or is part of it, is found there.
 */
import { byDevice, byLayout, devicePlace, headPlaces, textPlace, userPlace } from './block.format.ts';
import { type DocumentParts, devicesOf } from './block.parts.ts';
import { bare } from './shred.ts';

/** Searches a text for those of the rules, upper case aside; reports bits of clauses, each with the position of one of the characters found. */
export type ClauseSearch = (text: string, report: (clauses: number, position: number) => void) => void;

export interface TextFilter {
  search: ClauseSearch;
  /** Last names of the fields in whose values, with the names within them, the texts stand, behind the last dot; undefined: anywhere. */
  names: ReadonlySet<string> | undefined;
  /** An event that matches has all clauses of one of these. */
  wanted: readonly number[];
  /** Texts stand for numbers, which values may write in other ways. */
  hasNumbers: boolean;
}

/** Bytes of columns that are searched as one text: a longer one would outlive the quick collection of garbage. */
const searchedAtOnce = 64 * 1024;
const lineFeed = 10;
const allClauses = -1;
/** Letters whose lower case is, or begins with, a letter of ASCII, or that rules take for one. */
const folding = /[\u0130\u017f\u212a]/;
const allFolding = new RegExp(folding, 'g');
const foldingBytes = ['\u0130', '\u017f', '\u212a'].map((letter) => Buffer.from(letter));
/** Numbers in another spelling, rounded or with an exponent, as values or parts of paths and lists. */
const oddNumber = /(?:^|[\\/=])[+-]?(?:[\d.]{16,}|[\d.]+e[+-]?\d+)(?=$|[\\/])/gim;

/** 1 for each event that may match; undefined if none may. */
export function eventsWithTexts(parts: DocumentParts, filter: TextFilter): Uint8Array | undefined {
  const found = new Found(parts, filter);
  found.noteNames();
  found.noteTables();
  found.noteColumns();
  found.noteHeads();
  return found.events();
}

class Found {
  readonly #parts: DocumentParts;
  readonly #filter: TextFilter;
  /** Bits of clauses, of each event, of all events of a layout, and of a device. */
  readonly #own: Int32Array;
  readonly #ofLayout: Int32Array;
  #ofDevice: Int32Array | undefined;
  #all = 0;
  /** Places that lie within the named fields. */
  readonly #isWithin: boolean[];
  /** Places whose values can have a text: those, and what their values repeat. */
  readonly #isRead: boolean[];
  readonly #headsRead = new Set<number>();

  constructor(parts: DocumentParts, filter: TextFilter) {
    this.#parts = parts;
    this.#filter = filter;
    this.#own = new Int32Array(parts.count);
    this.#ofLayout = new Int32Array(parts.skeletons.length);
    const { names } = filter;
    this.#isWithin = [];
    for (const { parent, key } of parts.places)
      this.#isWithin.push(
        names === undefined || (parent >= 0 && (this.#isWithin[parent]! || names.has(key.slice(key.lastIndexOf('.') + 1)))),
      );
    this.#isRead = [...this.#isWithin];
    // Sources come before the places that repeat them.
    for (let place = parts.places.length - 1; place >= 0; place--) {
      const source = this.#isRead[place] ? parts.sources[place]! - 1 : -1;
      if (source >= headPlaces) this.#isRead[source - headPlaces] = true;
      else if (source >= 0) this.#headsRead.add(source);
    }
  }

  /** Names within the objects that rules compare, and labels of lines, which are part of their text. */
  noteNames(): void {
    const { places, skeletons } = this.#parts;
    const named: { id: number; key: string }[] = [];
    const ofPlace = new Int32Array(places.length);
    for (const { id, parent, kind, key } of places) {
      // A document of one leaf holds its names and numbers within.
      if (parent < 0 && kind === 'literal') ofPlace[id] = allClauses;
      if (parent >= 0 && this.#isWithin[parent]) named.push({ id, key: bare(key) });
    }
    this.#searchLines(
      named.map(({ key }) => key),
      (line, clauses) => {
        ofPlace[named[line]!.id]! |= clauses;
      },
    );
    for (const { id, parent } of places) if (parent >= 0) ofPlace[id]! |= ofPlace[parent]!;
    if (ofPlace.some((clauses) => clauses !== 0))
      for (const [layout, leaves] of skeletons.entries()) for (const place of leaves) this.#noteLayout(layout, ofPlace[place]!);
  }

  /** Predicted values, for all events of a layout or device. */
  noteTables(): void {
    for (const [place, table] of this.#parts.tables.entries()) {
      if (!this.#isRead[place] || (table?.by !== byLayout && table?.by !== byDevice)) continue;
      const contexts = [...table.values.keys()];
      const note = table.by === byLayout ? this.#noteLayout : this.#noteDevice;
      this.#searchLines([...table.values.values()], (line, clauses) => note(contexts[line]!, clauses));
    }
  }

  noteColumns(): void {
    for (let place = 0; place < this.#isRead.length; place++) {
      if (!this.#isRead[place]) continue;
      const column = this.#parts.columnOf(place);
      if (column.length > 0) this.#searchColumn(place, column);
    }
  }

  #searchColumn(place: number, column: Buffer): void {
    let [line, counted, events] = [0, 0, undefined as Uint32Array | undefined];
    const note = (clauses: number, position: number): void => {
      if (position < counted) [line, counted] = [0, 0];
      for (; counted < position; counted++) if (column[counted] === lineFeed) line++;
      events ??= this.#eventsOf(place);
      this.#note(events[line]!, clauses);
    };
    for (let from = 0; from < column.length; ) {
      let to = Math.min(from + searchedAtOnce, column.length);
      if (to < column.length) to = column.indexOf(lineFeed, to) + 1;
      // By bytes: other characters than ASCII do not matter to a text of ASCII.
      const text = column.toString('latin1', from, to);
      this.#filter.search(text, (clauses, position) => note(clauses, from + position));
      if (this.#filter.hasNumbers) for (const { index } of text.matchAll(oddNumber)) note(allClauses, from + index);
      from = to;
    }
    for (const letter of foldingBytes)
      for (let at = column.indexOf(letter); at >= 0; at = column.indexOf(letter, at + 1)) note(allClauses, at);
  }

  /** Texts, devices and users, as far as documents repeat them or lack what stands there. */
  noteHeads(): void {
    const { heads, count } = this.#parts;
    if (this.#headsRead.has(textPlace))
      for (let event = 0; event < count; event++)
        this.#searchText(bare(heads.texts?.at(event) ?? heads.text[event]!), (clauses) => this.#note(event, clauses));
    for (const { place, values, isCut, events } of heads.texts?.columns() ?? []) {
      if (!this.#isRead[place]) continue;
      let known: Uint32Array | undefined;
      const eventOf = (line: number): number => {
        known ??= events();
        return known[line]!;
      };
      this.#searchLines(values, (line, clauses) => this.#note(eventOf(line), clauses));
      // The rest of a cut value stands in its column.
      if (isCut) for (const event of events()) if (heads.texts!.isCut(event)) this.#note(event, allClauses);
    }
    if (this.#headsRead.has(devicePlace)) this.#noteNamed(heads.deviceName);
    if (this.#headsRead.has(userPlace)) this.#noteNamed(heads.userName);
  }

  #noteNamed(names: readonly (string | null)[]): void {
    const numbers = devicesOf(names);
    const distinct: string[] = [];
    for (const [event, number] of numbers.entries()) if (number === distinct.length) distinct.push(bare(names[event] ?? ''));
    const clausesOf = new Int32Array(distinct.length);
    let all = 0;
    this.#searchLines(distinct, (line, clauses) => {
      clausesOf[line]! |= clauses;
      all |= clauses;
    });
    if (all !== 0) for (const [event, number] of numbers.entries()) this.#note(event, clausesOf[number]!);
  }

  events(): Uint8Array | undefined {
    const { count, skeletonOf, deviceOf } = this.#parts;
    const { wanted } = this.#filter;
    if (!wanted.some((clauses) => (this.#all & clauses) === clauses)) return undefined;
    const found = new Uint8Array(count);
    const devices = this.#ofDevice && deviceOf();
    for (let event = 0; event < count; event++) {
      let has = this.#own[event]! | this.#ofLayout[skeletonOf[event]!]!;
      if (devices) has |= this.#ofDevice![devices[event]!]!;
      if (has !== 0) for (const clauses of wanted) if ((has & clauses) === clauses) found[event] = 1;
    }
    return found;
  }

  #note(event: number, clauses: number): void {
    this.#own[event]! |= clauses;
    this.#all |= clauses;
  }

  #noteLayout = (layout: number, clauses: number): void => {
    this.#ofLayout[layout]! |= clauses;
    this.#all |= clauses;
  };

  #noteDevice = (device: number, clauses: number): void => {
    this.#ofDevice ??= new Int32Array(this.#parts.count);
    this.#ofDevice[device]! |= clauses;
    this.#all |= clauses;
  };

  /** Event of each value of a column. */
  #eventsOf(place: number): Uint32Array {
    const { skeletons, skeletonOf } = this.#parts;
    const times = skeletons.map((places) => places.reduce((sum, each) => (each === place ? sum + 1 : sum), 0));
    const events: number[] = [];
    for (let event = 0; event < skeletonOf.length; event++)
      for (let left = times[skeletonOf[event]!]!; left > 0; left--) events.push(event);
    return Uint32Array.from(events);
  }

  /** Searches texts without line feeds. */
  #searchLines(lines: readonly string[], note: (line: number, clauses: number) => void): void {
    if (lines.length === 0) return;
    const text = lines.join('\n');
    let [line, start] = [0, 0];
    this.#searchText(text, (clauses, position) => {
      if (position < start) [line, start] = [0, 0];
      for (; position > start + lines[line]!.length; line++) start += lines[line]!.length + 1;
      note(line, clauses);
    });
  }

  #searchText(text: string, note: (clauses: number, position: number) => void): void {
    // The lower case of İ is longer and would shift the positions behind it; it counts for all clauses below.
    this.#filter.search(text.replaceAll('\u0130', ' '), note);
    if (this.#filter.hasNumbers) for (const { index } of text.matchAll(oddNumber)) note(allClauses, index);
    if (folding.test(text)) for (const { index } of text.matchAll(allFolding)) note(allClauses, index);
  }
}
