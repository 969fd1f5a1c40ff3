/** Sources of the values of each place of a block’s documents, found in a sample: an earlier place, the layout of the document, or the device. */
import { eachForm, formCount } from './block.derive.ts';
import { byArrival, byDevice, byId, byLayout, headPlaces, textPlace } from './block.format.ts';
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
  new Date(event.at).toISOString(),
  bare(event.text),
  event.deviceName == null ? '' : bare(event.deviceName),
  event.userName == null ? '' : bare(event.userName),
];

/** The value of an event's own that a predictor without a table names, as `idAt` writes ids. */
export function ownValue(by: number, event: Pick<Headed, 'id' | 'receivedAt'>): string | undefined {
  if (by === byId) return canonicalId.test(event.id) ? event.id : undefined;
  return by === byArrival ? new Date(event.receivedAt).toISOString() : undefined;
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

/** Of an event of the sample. */
interface Noted {
  layout: number;
  device: number;
  isVoting: boolean;
  /** By predictor without a table. */
  own: readonly (string | undefined)[];
}

/** Values of a place in a sample: how often each layout and device had the one it had first. */
class Sample {
  seen = 0;
  /** Of those seen: in events that vote. */
  #voted = 0;
  /** By earlier place and form of its value, as one number. */
  readonly votes = new Map<number, number>();
  readonly #first: [Map<number, string>, Map<number, string>] = [new Map(), new Map()];
  readonly #noted: [number, number] = [0, 0];
  readonly #hits: [number, number] = [0, 0];
  readonly #own = new Map<number, number>();

  note(value: string, { layout, device, isVoting, own }: Noted): void {
    this.seen++;
    if (isVoting) this.#voted++;
    if (value.length >= minOwn) {
      const named = ownPredictors[own.indexOf(value)];
      if (named !== undefined) this.#own.set(named, (this.#own.get(named) ?? 0) + 1);
    }
    this.#noteFor(0, layout, value);
    if (device < probes) this.#noteFor(1, device, value);
  }

  #noteFor(by: 0 | 1, context: number, value: string): void {
    const known = this.#first[by];
    const first = known.get(context);
    this.#noted[by]++;
    if (first === undefined) known.set(context, value);
    else if (first === value) this.#hits[by]++;
  }

  /** The earlier place of whose value it mostly is a form. */
  source(): Source {
    const [best] = [...this.votes].sort((a, b) => b[1] - a[1]);
    if (!best || best[1] * 4 < this.#voted) return { place: -1, form: 0 };
    return { place: Math.floor(best[0] / formCount), form: best[0] % formCount };
  }

  /** The event's id or arrival, layout or device, where it predicts the value better than its source does; 0 for none. */
  predictor(): number {
    const repeated = this.#voted === 0 ? 0 : (Math.max(0, ...this.votes.values()) * this.seen) / this.#voted;
    for (const [by, hits] of this.#own) if (hits > repeated && hits * 2 >= this.seen) return by;
    const [layout, device] = this.#hits.map((hits, by) => {
      const others = this.#noted[by]! - this.#first[by]!.size;
      return hits >= minHits && hits >= others * minPredicted && others * 2 >= this.#first[by]!.size ? hits : 0;
    }) as [number, number];
    if (Math.max(layout / this.#noted[0], device / Math.max(this.#noted[1], 1)) * this.seen <= repeated) return 0;
    return layout / this.#noted[0] >= device / Math.max(this.#noted[1], 1) ? byLayout : byDevice;
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
  const samples = Array.from({ length: count }, () => new Sample());
  const sampled = new Array<number>(lists.length).fill(0);
  const probed = new Array<number>(probes).fill(0);
  for (const [index, { skeleton, values }] of shredded.entries()) {
    const device = deviceOf[index]!;
    const isOfProbe = device < probes && probed[device]! < samplesPerProbe;
    // Devices' events are noted alone: a vote costs as much as the rest of an event.
    const isVoting = sampled[skeleton]! < samplesPerSkeleton || index % 50 === 0;
    if (!isOfProbe && !isVoting) continue;
    if (isOfProbe) probed[device]!++;
    if (isVoting) sampled[skeleton]!++;
    const noted = { layout: skeleton, device, isVoting, own: ownPredictors.map((by) => ownValue(by, events[index]!)) };
    const places = lists[skeleton]!;
    for (let leaf = 0; leaf < places.length; leaf++) samples[places[leaf]!]!.note(values[leaf]!, noted);
    if (isVoting) vote(samples, places, values, headValuesOf(events[index]!));
  }
  return {
    sources: samples.map((sample) => sample.source()),
    predictors: samples.map((sample) => sample.predictor()),
  };
}

/** Of two sources of one value the better: the value as it is, then the first place. */
const rankOf = (source: number): number => (source % formCount === 0 ? source : source + 2 ** 40);

/** Votes for the first place of an event with the value of a later one, as it is or in another form. */
function vote(samples: readonly Sample[], places: readonly number[], values: readonly string[], heads: readonly string[]): void {
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
  for (const [leaf, value] of values.entries()) {
    if (value.length < minRepeated) continue;
    const place = places[leaf]! + headPlaces;
    const source = first.get(value);
    const { votes } = samples[place - headPlaces]!;
    if (source !== undefined && Math.floor(source / formCount) < place) votes.set(source, (votes.get(source) ?? 0) + 1);
    note(place, value);
  }
}
