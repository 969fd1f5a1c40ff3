/** Columns of a block's documents: each value, or a mark for one that the event's other values, its layout, device, text, id or arrival determine. */
import { yieldToEventLoop } from '../../core/yielding.ts';
import { derive } from './block.derive.ts';
import { byDevice, byLayout, difference, headPlaces, inText, nameInText, predicted, same, timeOf } from './block.format.ts';
import { type Headed, headValuesOf, ownValue, type Source } from './block.sources.ts';
import { headSlots, nameSlots, type TextWriter } from './block.texts.ts';
import type { Shredded } from './shred.ts';

/** Documents are taken apart in turns: one costs some 30 µs. */
export const documentsPerTurn = 64;

export const signed = (value: number): string => value.toString(36);

/** Writes the values of a column one after the other. */
export class Column {
  readonly values: string[] = [];
  readonly #times: Set<string>;
  #last = 0;

  /** With a set to which its times are added. */
  constructor(times: Set<string>) {
    this.#times = times;
  }

  add(value: string): void {
    const at = timeOf(value);
    if (at === undefined) this.values.push(value);
    else {
      this.values.push(difference + signed(at - this.#last));
      this.#last = at;
      this.#times.add(value);
    }
  }
}

/** Values of the current event's document that stand in its text. */
class InTexts {
  readonly #texts: TextWriter;
  readonly #values: string[];
  readonly #isName: boolean[];
  readonly #stamps: Int32Array;
  #event = -1;

  constructor(places: number, texts: TextWriter) {
    this.#texts = texts;
    this.#values = new Array<string>(places).fill('');
    this.#isName = new Array<boolean>(places).fill(false);
    this.#stamps = new Int32Array(places).fill(-1);
  }

  turnTo(event: number, skeleton: number, values: readonly string[], [, text, device, user]: readonly string[]): void {
    this.#event = event;
    const fitted = this.#texts.add(text!, skeleton, values, [device!, user!]);
    const slots = fitted?.template.slots ?? [];
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      if (slot < headSlots) continue;
      const isName = slot >= nameSlots;
      const place = slot - headSlots - (isName ? nameSlots : 0);
      if (isName && this.#stamps[place] === event) continue;
      this.#values[place] = fitted!.values[at]!;
      this.#isName[place] = isName;
      this.#stamps[place] = event;
    }
  }

  /** The rest of a value that stands in the text, with its mark; words of one that is only begun there are added to `own`. */
  markOf(place: number, value: string, own: Set<string>): string | undefined {
    if (this.#stamps[place] !== this.#event) return undefined;
    const { length } = this.#values[place]!;
    if (this.#isName[place]) return nameInText + value.slice(0, value.length - length);
    if (length < value.length) own.add(value);
    return inText + value.slice(length);
  }
}

interface Choices {
  texts: TextWriter;
  sources: readonly Source[];
  predictors: readonly number[];
  deviceOf: Uint32Array;
}

class Columns {
  readonly columns: Column[];
  /** By layout or device: the first value, which predicts the others. */
  readonly tables: (string[] | undefined)[];
  /** Values whose words are in no column: ids, times of all columns, and those that are only begun in a text. */
  readonly own = new Set<string>();
  readonly #choices: Choices;
  readonly #inTexts: InTexts;
  /** By place, as `#current` numbers them; -1 for none. */
  readonly #sourceOf: Int32Array;
  readonly #formOf: Uint8Array;
  readonly #byOf: Uint8Array;
  // The value of each place in the current event; stamps name the event.
  readonly #current: string[];
  readonly #stamps: Int32Array;

  constructor(choices: Choices) {
    const count = choices.sources.length;
    this.columns = Array.from({ length: count }, () => new Column(this.own));
    this.tables = choices.predictors.map((by) => (by === byLayout || by === byDevice ? [] : undefined));
    this.#choices = choices;
    this.#inTexts = new InTexts(count, choices.texts);
    this.#sourceOf = Int32Array.from(choices.sources, ({ place }) => place);
    this.#formOf = Uint8Array.from(choices.sources, ({ form }) => form);
    this.#byOf = Uint8Array.from(choices.predictors);
    this.#current = new Array<string>(count + headPlaces).fill('');
    this.#stamps = new Int32Array(count + headPlaces).fill(-1);
  }

  add(index: number, event: Headed, { skeleton, values }: Shredded, places: readonly number[]): void {
    const heads = headValuesOf(event);
    this.#inTexts.turnTo(index, skeleton, values, heads);
    for (let place = 0; place < headPlaces; place++) this.#note(place, index, heads[place]!);
    const device = this.#choices.deviceOf[index]!;
    for (let leaf = 0; leaf < values.length; leaf++) {
      const value = values[leaf]!;
      const place = places[leaf]!;
      const by = this.#byOf[place]!;
      const mark =
        by === 0
          ? (this.#inTexts.markOf(place, value, this.own) ?? this.#repeated(index, place, value))
          : this.#markOf(index, event, { place, value, by, context: by === byLayout ? skeleton : device });
      if (mark === undefined) this.columns[place]!.add(value);
      else this.columns[place]!.values.push(mark);
      // Of a place that occurs several times in an event, the last value; readers proceed in the same order.
      this.#note(place + headPlaces, index, value);
    }
  }

  #note(place: number, index: number, value: string): void {
    this.#current[place] = value;
    this.#stamps[place] = index;
  }

  #markOf(
    index: number,
    event: Headed,
    { place, value, by, context }: { place: number; value: string; by: number; context: number },
  ): string | undefined {
    const table = this.tables[place];
    if (table && table[context] === undefined) table[context] = value;
    const mark = this.#inTexts.markOf(place, value, this.own);
    if (mark !== undefined) return mark;
    if (table?.[context] === value) return predicted;
    if (ownValue(by, event) === value) {
      this.own.add(value);
      return predicted;
    }
    return this.#repeated(index, place, value);
  }

  #repeated(index: number, place: number, value: string): string | undefined {
    const source = this.#sourceOf[place]!;
    if (source < 0 || this.#stamps[source] !== index) return undefined;
    const form = this.#formOf[place]!;
    const known = this.#current[source]!;
    return (form === 0 ? known : derive(form, known)) === value ? same : undefined;
  }
}

export async function columnsOf(
  events: readonly Headed[],
  lists: readonly number[][],
  shredded: readonly Shredded[],
  choices: Choices,
): Promise<Pick<Columns, 'columns' | 'tables' | 'own'>> {
  const columns = new Columns(choices);
  for (const [index, each] of shredded.entries()) {
    columns.add(index, events[index]!, each, lists[each.skeleton]!);
    if (index % documentsPerTurn === documentsPerTurn - 1) await yieldToEventLoop();
  }
  return columns;
}
