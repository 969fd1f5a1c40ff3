/** Covers the tokens of a question with items of the lexicon: the cheapest cover, in which long phrases beat short ones and unknown words cost most. */
import type { QueryEntity } from '@parapet/contract/rules/query.ts';
import type { Edge, Item } from './items.ts';
import type { Lexicon, Phrase } from './lexicon.ts';
import { stem, type Token } from './tokens.ts';

/** A stretch of the question with everything that it can be, one item of each kind. */
export interface Segment {
  /** Tokens, `to` exclusive. */
  from: number;
  to: number;
  text: string;
  items: { readonly [Kind in Item['kind']]?: Extract<Item, { kind: Kind }> };
  isPlural: boolean;
}

const unknownCost = 10;

/** Of a phrase of the lexicon. "Phone number | of Birch" rather than "phone | number of Birch". */
const costOf = ({ kind }: Item, { stems, items }: Phrase): number =>
  (items.every((item) => item.kind === 'filler') ? 1.1 : 1) + (kind === 'measure' && stems.length > 1 ? 0.05 : 0);

/** Every item over the tokens: of the lexicon, and `found`: names, times and numbers of the text. */
export function edgesOf(tokens: readonly Token[], lexicon: Lexicon, found: readonly Edge[]): Edge[] {
  const edges: Edge[] = [...found];
  const stems = tokens.map(({ text: word }) => stem(word));
  for (let from = 0; from < tokens.length; from++)
    for (const phrase of lexicon.phrases.get(stems[from]!) ?? []) {
      const to = endOf(phrase, stems, from);
      if (to === undefined) continue;
      for (const item of phrase.items) edges.push({ from, to, item, cost: costOf(item, phrase) });
    }
  for (const [at, { text: word }] of tokens.entries()) {
    const item: Item = word === "'s" ? { kind: 'filler' } : word === '/' ? { kind: 'or' } : { kind: 'unknown' };
    edges.push({ from: at, to: at + 1, item, cost: item.kind === 'unknown' ? unknownCost : 0.1 });
  }
  return edges.sort((a, b) => a.from - b.from);
}

const articles: ReadonlySet<string> = new Set(['a', 'an', 'the']);
/** "In case 7" is not "in a case". */
const places: ReadonlySet<string> = new Set(['in', 'on', 'at', 'of', 'to', 'from', 'for']);
/** End of a phrase in the text; articles inside a phrase may be there or not: "without an agent", "without agent". */
function endOf({ stems: wanted }: Phrase, stems: readonly string[], from: number): number | undefined {
  const isLoose = !articles.has(wanted.at(-1)!) && wanted.filter((word) => !articles.has(word)).length > 1;
  let at = from;
  for (const [index, word] of wanted.entries()) {
    if (isLoose && index > 0 && articles.has(stems[at] ?? '') && stems[at] !== word) at++;
    if (stems[at] === word) at++;
    else if (!isLoose || index === 0 || !articles.has(word) || places.has(wanted[0]!)) return undefined;
  }
  return at;
}

/** Without the words of entities that the reading is not about; a word with no other sense keeps it, and is then left behind. */
export function edgesFor(edges: readonly Edge[], relevant: ReadonlySet<QueryEntity>): Edge[] {
  const remaining = edges.flatMap((edge) => {
    const { item } = edge;
    if (!('options' in item) || item.options === undefined) return [edge];
    const options = (item.options as { entity: QueryEntity }[]).filter(({ entity }) => relevant.has(entity));
    return options.length > 0 ? [{ ...edge, item: { ...item, options } as Item }] : [];
  });
  const taken = new Set(remaining.filter(({ item }) => item.kind !== 'unknown').map(({ from, to }) => `${from} ${to}`));
  const senseless = edges.filter(({ from, to, item }) => to - from === 1 && 'options' in item && !taken.has(`${from} ${to}`));
  return [...remaining, ...senseless].sort((a, b) => a.from - b.from);
}

/** The cheapest cover of the tokens from `start` to `end`. */
export function segmentsOf(
  tokens: readonly Token[],
  text: string,
  edges: readonly Edge[],
  start = 0,
  end = tokens.length,
): Segment[] {
  const best: { cost: number; via: Edge | undefined }[] = tokens.map(() => ({ cost: Number.POSITIVE_INFINITY, via: undefined }));
  best.push({ cost: Number.POSITIVE_INFINITY, via: undefined });
  best[start] = { cost: 0, via: undefined };
  for (const edge of edges) {
    if (edge.from < start || edge.to > end) continue;
    const cost = best[edge.from]!.cost + edge.cost;
    if (cost < best[edge.to]!.cost) best[edge.to] = { cost, via: edge };
  }
  const segments: Segment[] = [];
  for (let at = end; at > start; ) {
    const via = best[at]!.via!;
    const same = edges.filter(({ from, to, cost }) => from === via.from && to === via.to && cost <= via.cost + 0.5);
    const last = tokens[at - 1]!.text;
    segments.unshift({
      from: via.from,
      to: via.to,
      text: text.slice(tokens[via.from]!.from, tokens[at - 1]!.to),
      items: merged(same, stem(last) !== last),
      isPlural: stem(last) !== last,
    });
    at = via.from;
  }
  return segments;
}

/** "Critical findings" are no name, though a tag is called so. */
const wordOf = (known: Item, item: Item): Item =>
  known.kind === 'value' && known.isName && item.kind === 'value' && !item.isName ? item : known;

/** One item of each kind; senses of the same kind are one item with all options. */
function merged(edges: readonly Edge[], isPlural: boolean): Segment['items'] {
  const items: Record<string, Item> = {};
  for (const { item } of edges) {
    const known = items[item.kind];
    // A tag may be named like a severity.
    if (known && 'options' in known && 'options' in item)
      items[item.kind] = { ...wordOf(known, item), options: [...(known.options ?? []), ...(item.options ?? [])] } as Item;
    else if (known?.kind === 'superlative' && item.kind === 'superlative')
      items.superlative = { ...known, ...item, isTime: known.isTime || item.isTime || false, isGeneric: true };
    else if (known?.kind === 'compare' && item.kind === 'compare')
      items.compare = { ...known, isAfter: known.isAfter || item.isAfter || false };
    else items[item.kind] ??= item;
  }
  const { value } = items;
  if (value?.kind === 'value' && value.isNounOnlyPlural && !isPlural) {
    const { noun: _, ...rest } = value;
    items.value = rest;
  }
  return items as Segment['items'];
}
