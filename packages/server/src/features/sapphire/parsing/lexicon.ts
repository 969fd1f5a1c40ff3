/** The words of all entities and of the grammar, as phrases to look up; names of the viewer’s scope are added for each question. */
import type { QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { Attribute, EntitySchema, NameKind } from '../../../domain/query/schema.ts';
import type { Item, Named, Option } from './items.ts';
import { buckets, grammar, recurring } from './lexicon.data.ts';
import { stem, tokensOf } from './tokens.ts';
import { topics } from './topics.data.ts';

export interface Phrase {
  /** Stems of its tokens. */
  stems: readonly string[];
  items: Item[];
}

export interface Lexicon {
  /** By the first stem. */
  phrases: ReadonlyMap<string, readonly Phrase[]>;
  /** Every stem, for spelling. */
  stems: ReadonlySet<string>;
  /** Nouns of entities, measures and times: preferred when a misspelt word is near to several. */
  common: ReadonlySet<string>;
  schemas: Readonly<Record<QueryEntity, EntitySchema>>;
}

/** The entity that a choice stands for when it is used as a noun: "servers", "criticals", "admins". */
const nouns: readonly { entity: QueryEntity; field: string; isPlural: boolean }[] = [
  { entity: 'device', field: 'type', isPlural: false },
  { entity: 'device', field: 'deviceType', isPlural: false },
  { entity: 'account', field: 'role', isPlural: false },
  { entity: 'alert', field: 'severity', isPlural: true },
  { entity: 'vulnerability', field: 'isKnownExploited', isPlural: true },
  { entity: 'response', field: 'action', isPlural: true },
  { entity: 'collector', field: 'kind', isPlural: true },
];

/** Of the time grammar; for spelling. */
const timeWords =
  'since before after until yesterday today tomorrow last this past previous week month year quarter day hour minute january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday weekend spring summer autumn winter halloween christmas'.split(
    ' ',
  );

/** Senses of phrases while they are collected. */
interface Senses {
  values: Map<string, Option[]>;
  attributes: Map<string, Named[]>;
  verbs: Map<string, Named[]>;
  superlatives: Map<string, { isMost: boolean; options: Named[] }>;
}

const keep = <T>(map: Map<string, T[]>, phrase: string, value: T) => map.set(phrase, [...(map.get(phrase) ?? []), value]);

export function createLexicon(schemas: Readonly<Record<QueryEntity, EntitySchema>>): Lexicon {
  const found = new Map<string, Item[]>();
  for (const [item, phrases] of grammar) for (const phrase of phrases) keep(found, phrase, item);
  for (const [field, phrases] of Object.entries(buckets))
    for (const phrase of phrases) keep(found, phrase, { kind: 'bucket', field });
  const senses: Senses = { values: new Map(), attributes: new Map(), verbs: new Map(), superlatives: new Map() };
  for (const { entity, words, attributes } of Object.values(schemas)) {
    for (const word of words) keep(found, word, { kind: 'entity', entity });
    for (const [field, attribute] of Object.entries(attributes)) collect(senses, { entity, field }, attribute);
    for (const [{ field, in: list }, phrases] of recurring)
      if (attributes[field])
        for (const phrase of phrases) keep(senses.values, phrase, { entity, field, filter: { field, in: list } });
  }
  const guesses = new Set(topics.flatMap(({ isGuess, words }) => (isGuess ? words : [])));
  for (const { entities, field, texts, words } of topics)
    for (const entity of entities)
      for (const word of words) {
        const found = texts.map((text) => ({ field, contains: text }));
        keep(senses.values, word, { entity, field, filter: found.length === 1 ? found[0]! : { or: found } });
      }
  const { values, attributes, verbs, superlatives } = senses;
  for (const [phrase, options] of values) {
    const noun = nouns.find(({ entity, field }) => options.some((option) => option.entity === entity && option.field === field));
    const led = verbs.get(phrase);
    keep(found, phrase, {
      kind: 'value',
      options,
      label: phrase,
      ...(noun && { noun: noun.entity, isNounOnlyPlural: noun.isPlural }),
      ...(led && { verbs: led }),
      ...(guesses.has(phrase) &&
        options.every(({ field }) => field === 'text') && { isGuess: true, noun: 'device' as const, isNounOnlyPlural: true }),
    });
  }
  for (const [phrase, options] of attributes) keep(found, phrase, { kind: 'attribute', options });
  for (const [phrase, options] of verbs) keep(found, phrase, { kind: 'verb', options });
  for (const [phrase, { isMost, options }] of superlatives) keep(found, phrase, { kind: 'superlative', isMost, options });
  const phrases = phrasesOf(found);
  const stems = new Set([...phrases.values()].flat().flatMap((phrase) => phrase.stems));
  const common = new Set<string>(['which', 'many', 'open', 'closed', 'list', 'show', 'most', 'with', 'critical']);
  for (const word of timeWords) for (const set of [stems, common]) set.add(stem(word));
  for (const { words } of Object.values(schemas))
    for (const word of words) for (const { text } of tokensOf(word)) common.add(stem(text));
  return { phrases, stems, common, schemas };
}

/** The words of one attribute. */
function collect({ values, attributes, verbs, superlatives }: Senses, named: Named, attribute: Attribute): void {
  const { field } = named;
  const sense = (word: string, filter: QueryFilter) => keep(values, word, { ...named, filter });
  for (const word of attribute.words) keep(attributes, word, named);
  if (attribute.type === 'choice')
    for (const [value, words] of Object.entries(attribute.choices)) for (const word of words) sense(word, { field, in: [value] });
  if (attribute.type === 'flag') {
    for (const word of attribute.yes) sense(word, { field, is: true });
    for (const word of attribute.no ?? []) sense(word, { field, is: false });
  }
  if (attribute.type === 'time') for (const verb of attribute.verbs ?? []) keep(verbs, verb, named);
  const { superlatives: own = {} } = attribute as { superlatives?: Record<string, readonly string[]> };
  for (const [which, words] of Object.entries(own))
    for (const word of words)
      superlatives.set(word, {
        isMost: which === 'most' || which === 'latest',
        options: [...(superlatives.get(word)?.options ?? []), named],
      });
}

/** Phrases by their first stem; spellings with the same stems are one. */
function phrasesOf(found: ReadonlyMap<string, readonly Item[]>): Map<string, Phrase[]> {
  const phrases = new Map<string, Phrase[]>();
  for (const [phrase, items] of found) {
    const stems = tokensOf(phrase).map(({ text }) => stem(text));
    const [first] = stems;
    if (first === undefined) continue;
    const same = phrases.get(first)?.find((other) => other.stems.join(' ') === stems.join(' '));
    if (same) same.items.push(...items);
    else keep(phrases, first, { stems, items: [...items] });
  }
  return phrases;
}

/** A name as a value: of every entity with an attribute of such names. */
export function nameItem({ schemas }: Lexicon, names: NameKind, stored: readonly string[], label: string): Item {
  const options: Option[] = [];
  for (const { entity, attributes } of Object.values(schemas))
    for (const [field, attribute] of Object.entries(attributes))
      if ((attribute.type === 'name' || attribute.type === 'names') && attribute.names === names)
        options.push({ entity, field, filter: { field, in: [...stored] } });
  return { kind: 'value', options, isName: true, label };
}
