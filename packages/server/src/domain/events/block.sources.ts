/** Sources of the values of each place of a block’s documents, found in a sample: an earlier place, the layout of the document, or the device. */
import { eachForm, formCount } from './block.derive.ts';
import { byArrival, byDevice, byId, byLayout, headPlaces, isoTime, textPlace } from './block.format.ts';
import { bare, type Shredded } from './shred.ts';

/** An event's own values. */
export interface Headed {
  id: string;
  receivedAt: number;
  at: number;
  text: string;
  deviceName?: string | null | undefined;
  userName?: string | null | undefined;
}

/** Values of an event that those of its document repeat. */
export const headValuesOf = (event: Headed): string[] => [
  isoTime(event.at),
  bare(event.text),
  event.deviceName == null ? '' : bare(event.deviceName),
  event.userName == null ? '' : bare(event.userName),
];

/** The value of an event's own that a predictor without a table names, as `idAt` writes ids. */
export function ownValue(by: number, event: Pick<Headed, 'id' | 'receivedAt'>): string | undefined {
  if (by === byId) return canonicalId.test(event.id) ? event.id : undefined;
  return by === byArrival ? isoTime(event.receivedAt) : undefined;
}

const ownPredictors = [byId, byArrival];
/** Length of a time; ids are longer. */
const minOwn = 24;
const canonicalId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const samplesPerSkeleton = 6;
/** Shorter values are equal by chance. */
const minRepeated = 2;
/** Of the values of a place that are not the first of their layout or device: the share that must be as predicted. */
const minPredicted = 0.75;

/** Devices of which several events are sampled, to see what is theirs. */
const probes = 24;
const samplesPerProbe = 6;
/** Fewer are chance. */
const minHits = 8;

/** An earlier place, or one of the heads, and the form of its value (block.derive.ts); -1 for none. */
export interface Source {
  place: number;
  form: number;
}

/** Values of places in a sample: how often each layout and device had the one it had first. */
class Samples {
  /** By earlier place and form of its value, as one number; of each place. */
  readonly votes: (Map<number, number> | undefined)[] = [];
  readonly #seen: Uint32Array;
  /** Of those seen: in events that vote. */
  readonly #voted: Uint32Array;
  /** Of the layout and the device each: values seen, values as the first one of their context, and contexts. */
  readonly #noted: readonly [Uint32Array, Uint32Array];
  readonly #hits: readonly [Uint32Array, Uint32Array];
  readonly #contexts: readonly [Uint32Array, Uint32Array];
  /** By predictor without a table. */
  readonly #own: readonly Uint32Array[];
  /** The values of each layout's first event, and of each device's first of a place. */
  readonly #ofLayout: (readonly string[] | undefined)[] = [];
  readonly #ofDevice: string[][] = Array.from({ length: probes }, () => []);

  constructor(count: number) {
    const numbers = () => new Uint32Array(count);
    this.#seen = numbers();
    this.#voted = numbers();
    this.#noted = [numbers(), numbers()];
    this.#hits = [numbers(), numbers()];
    this.#contexts = [numbers(), numbers()];
    this.#own = ownPredictors.map(numbers);
  }

  note({ skeleton, values }: Shredded, places: readonly number[], event: Headed, device: number, isVoting: boolean): void {
    const own = ownPredictors.map((by) => ownValue(by, event));
    const known = this.#ofLayout[skeleton];
    this.#ofLayout[skeleton] ??= values;
    const ofDevice = device < probes ? this.#ofDevice[device] : undefined;
    for (let leaf = 0; leaf < places.length; leaf++) {
      const [place, value] = [places[leaf]!, values[leaf]!];
      this.#seen[place]!++;
      if (isVoting) this.#voted[place]!++;
      if (value.length >= minOwn) for (const [at, hits] of this.#own.entries()) if (own[at] === value) hits[place]!++;
      this.#count(0, place, known?.[leaf], value);
      if (!ofDevice) continue;
      this.#count(1, place, ofDevice[place], value);
      ofDevice[place] ??= value;
    }
  }

  #count(by: 0 | 1, place: number, first: string | undefined, value: string): void {
    this.#noted[by][place]!++;
    if (first === undefined) this.#contexts[by][place]!++;
    else if (first === value) this.#hits[by][place]!++;
  }

  /** The source of a place with the most votes. */
  #bestOf(place: number): [source: number, votes: number] {
    let best: [number, number] = [-1, 0];
    for (const each of this.votes[place] ?? []) if (each[1] > best[1]) best = each;
    return best;
  }

  /** The earlier place of whose value it mostly is a form. */
  source(place: number): Source {
    const [source, votes] = this.#bestOf(place);
    if (source < 0 || votes * 4 < this.#voted[place]!) return { place: -1, form: 0 };
    return { place: Math.floor(source / formCount), form: source % formCount };
  }

  /** The event's id or arrival, layout or device, where it predicts the value better than its source does; 0 for none. */
  predictor(place: number): number {
    const seen = this.#seen[place]!;
    const voted = this.#voted[place]!;
    const repeated = voted === 0 ? 0 : (this.#bestOf(place)[1] * seen) / voted;
    for (const [at, by] of ownPredictors.entries()) {
      const hits = this.#own[at]![place]!;
      if (hits > repeated && hits * 2 >= seen) return by;
    }
    const layout = this.#shareOf(0, place);
    const device = this.#shareOf(1, place);
    if (Math.max(layout, device) * seen <= repeated) return 0;
    return layout >= device ? byLayout : byDevice;
  }

  /** The share of values that their layout or device determines; 0 where it is too small. */
  #shareOf(by: 0 | 1, place: number): number {
    const [hits, noted, contexts] = [this.#hits[by][place]!, this.#noted[by][place]!, this.#contexts[by][place]!];
    const others = noted - contexts;
    return hits >= minHits && hits >= others * minPredicted && others * 2 >= contexts ? hits / noted : 0;
  }
}

/** For each place the earlier one whose value it mostly repeats, with the heads first, and the predictor of its values. */
export function sourcesOf(
  count: number,
  lists: readonly number[][],
  shredded: readonly Shredded[],
  events: readonly Headed[],
  deviceOf: Uint32Array,
): { sources: Source[]; predictors: number[] } {
  const samples = new Samples(count);
  const sampled = new Array<number>(lists.length).fill(0);
  const probed = new Array<number>(probes).fill(0);
  for (const [index, each] of shredded.entries()) {
    const { skeleton, values } = each;
    const device = deviceOf[index]!;
    const isOfProbe = device < probes && probed[device]! < samplesPerProbe;
    // Devices' events are noted alone: a vote costs as much as the rest of an event.
    const isVoting = sampled[skeleton]! < samplesPerSkeleton || index % 50 === 0;
    if (!isOfProbe && !isVoting) continue;
    if (isOfProbe) probed[device]!++;
    if (isVoting) sampled[skeleton]!++;
    const event = events[index]!;
    samples.note(each, lists[skeleton]!, event, device, isVoting);
    if (isVoting) vote(samples.votes, lists[skeleton]!, values, headValuesOf(event));
  }
  const places = Array.from({ length: count }, (_, place) => place);
  return { sources: places.map((place) => samples.source(place)), predictors: places.map((place) => samples.predictor(place)) };
}

/** Of two sources of one value the better: the value as it is, then the first place. */
const rankOf = (source: number): number => (source % formCount === 0 ? source : source + 2 ** 40);

/** Votes for the first place of an event with the value of a later one, as it is or in another form. */
function vote(
  votes: (Map<number, number> | undefined)[],
  places: readonly number[],
  values: readonly string[],
  heads: readonly string[],
): void {
  const first = new Map<string, number>();
  const noteForm = (place: number, form: number, value: string): void => {
    if (value.length < minRepeated) return;
    const source = place * formCount + form;
    const known = first.get(value);
    if (known === undefined || rankOf(source) < rankOf(known)) first.set(value, source);
  };
  const note = (place: number, value: string): void => {
    noteForm(place, 0, value);
    // A line's last word is no name.
    if (place !== textPlace) eachForm(value, (form, made) => noteForm(place, form, made));
  };
  for (const [place, value] of heads.entries()) note(place, value);
  for (let leaf = 0; leaf < values.length; leaf++) {
    const value = values[leaf]!;
    if (value.length < minRepeated) continue;
    const place = places[leaf]! + headPlaces;
    const source = first.get(value);
    const earlier = source === undefined ? place : Math.floor(source / formCount);
    if (earlier < place) {
      const own = votes[place - headPlaces] ?? new Map<number, number>();
      own.set(source!, (own.get(source!) ?? 0) + 1);
      votes[place - headPlaces] = own;
    }
    // The earlier place with the same value has its forms as well.
    if (source === undefined || source % formCount > 0 || earlier > place || earlier === textPlace) note(place, value);
  }
}
