/** "That host", "it", "their" after an answer about one or a few records: their names in place of the words. */
import type { Query, QueryEntity, QueryFilter } from '@parapet/contract/rules/query.ts';
import type { NameKind } from '../../../domain/query/schema.ts';
import { homonyms, namesOf, topOf } from './frames.ts';
import type { Parsed, ParserInput } from './parsed.ts';
import { stem } from './tokens.ts';

/** Rows whose names are kept. */
const few = 5;

interface Referent {
  entity: QueryEntity;
  /** As they stand in a question. */
  names: readonly string[];
  /** Rows of the answer rather than names of its filters. */
  isShown: boolean;
}

/** Records whose names questions may use. */
const named: Partial<Record<QueryEntity, NameKind>> = {
  device: 'device',
  user: 'user',
  client: 'client',
  rule: 'rule',
  technique: 'technique',
  account: 'account',
};
const entityOf = (kind: string | undefined) => (Object.keys(named) as QueryEntity[]).find((entity) => named[entity] === kind);
const numbered: ReadonlySet<QueryEntity> = new Set(['case', 'alert']);

/** Records that the rows are, or that each of them is about. */
const shownAs: Partial<Record<QueryEntity, QueryEntity>> = { collector: 'device', risk: 'client' };

function referentsOf({ previous, rows, lexicon: { schemas } }: ParserInput): Referent[] {
  const before = previous.at(-1);
  if (!before) return [];
  const { attributes } = schemas[before.entity];
  const ofFilter = (filter: QueryFilter): Referent[] => {
    const entity = 'in' in filter && filter.in.length === 1 ? entityOf(namesOf(attributes[filter.field])) : undefined;
    return entity && 'in' in filter ? [{ entity, names: filter.in.map(String), isShown: false }] : [];
  };
  const isFew = rows && rows.names.length > 0 && (rows.names.length === 1 || (before.limit !== undefined && before.limit <= few));
  if (!isFew) return topOf(before.where).flatMap(ofFilter);
  const [group] = before.groupBy ?? [];
  const entity = group ? entityOf(namesOf(attributes[group])) : (shownAs[before.entity] ?? before.entity);
  const isNumbered = entity !== undefined && numbered.has(entity) && rows.ids.length === rows.names.length;
  const names = isNumbered ? rows.ids.map((id) => `${entity} ${id}`) : rows.names;
  const isNamed = entity !== undefined && (isNumbered || named[entity] !== undefined);
  return [...(isNamed ? [{ entity, names, isShown: true }] : []), ...topOf(before.where).flatMap(ofFilter)];
}

const nounPhrase = /\b(?:(?:that|this|those|these) (?:same |particular |very |one )?|the same )([a-z]+)\b/gi;
/** A figure or a list is "it" as well: "is it more than last week", "split it by rule". */
const it =
  /(?<=\b(?:is|was|does|did|has|had|on|of|to|at|for|from|with|about|by|in|behind|against|owns?|owned|have|got|caused?|triggered|closed|opened|uses?) )it\b(?! (?:more|less|fewer|higher|lower|better|worse|normal|usual|up|down|true|possible|get|go|went|take|took|the same|ok|just|only)\b)|\bits\b|\bthat one\b/gi;
const they = /\b(?:them|they|their)\b/gi;
const person = /\b(?:him|his|he|she|hers?)\b/gi;
const place = /\bthere(?= *[?.!]*$)/gi;
const isOwning = /^(?:its|their|his|hers)$/i;

/** A noun phrase, or a pronoun, that stands for records before. */
export function mentionsIn(
  text: string,
  { lexicon }: ParserInput,
): { from: number; to: number; entity?: QueryEntity; word: string }[] {
  const entityOfNoun = (word: string): QueryEntity | undefined => {
    const items = lexicon.phrases.get(stem(word))?.flatMap(({ stems, items: own }) => (stems.length === 1 ? own : [])) ?? [];
    const entity = items.find((item) => item.kind === 'entity');
    const value = items.find((item) => item.kind === 'value');
    return entity?.kind === 'entity' ? entity.entity : value?.kind === 'value' ? value.noun : undefined;
  };
  const nouns = [...text.matchAll(nounPhrase)].flatMap(({ 0: word, 1: noun = '', index: from }) => {
    const entity = entityOfNoun(noun);
    return entity ? [{ from, to: from + word.length, entity, word }] : [];
  });
  const pronouns = [it, they, person, place].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: word, index: from }) => ({ from, to: from + word.length, word })),
  );
  return [...nouns, ...pronouns.filter(({ from }) => nouns.every((noun) => from < noun.from || from >= noun.to))].sort(
    (a, b) => a.from - b.from,
  );
}

/** The records that a mention stands for. */
function referentOf(word: string, entity: QueryEntity | undefined, referents: readonly Referent[]): Referent | undefined {
  const [first] = referents;
  const isPlural = /^(?:th[eo]se|them|they|their)\b/i.test(word);
  const fits = ({ names, isShown }: Referent) => isShown || (!isPlural && names.length === 1);
  const isOf = (...entities: (QueryEntity | undefined)[]) =>
    referents.find((each) => entities.includes(each.entity) && fits(each));
  if (entity) return isOf(entity, ...(homonyms[entity] ?? []));
  if (/^h|^she/i.test(word)) return isOf('user', 'account');
  if (/^there$/i.test(word)) return first?.isShown ? isOf('client', 'device') : undefined;
  if (isPlural) return first?.isShown && (first.names.length > 1 || /^(?:client|user)$/.test(first.entity)) ? first : undefined;
  return referents.find(
    (each) => each.names.length === 1 && (each.isShown || each.entity === 'device' || each.entity === 'rule'),
  );
}

/** The question with names in place of what refers to records before; undefined where nothing does. */
export function withReferents(input: ParserInput): ParserInput | undefined {
  if (input.isAgain || input.previous.length === 0) return undefined;
  const referents = referentsOf(input);
  const found = mentionsIn(input.text, input).flatMap((mention) => {
    const referent = referentOf(mention.word, mention.entity, referents);
    return referent ? [{ ...mention, referent }] : [];
  });
  if (found.length === 0) return undefined;
  const text = found.reduceRight((all, { from, to, word, referent: { names } }) => {
    const listed = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names[0]!;
    const isOf = isOwning.test(word) || /^her\s+\w/i.test(all.slice(from));
    return `${all.slice(0, from)}${/^there$/i.test(word) ? 'at ' : ''}${listed}${isOf ? "'s" : ''}${all.slice(to)}`;
  }, input.text);
  const own = (kind: QueryEntity) => found.flatMap(({ referent }) => (referent.entity === kind ? referent.names : []));
  const { vocabulary } = input;
  return {
    ...input,
    text: text.replace(/^(?:and|so|ok|then) /i, ''),
    previous: [],
    vocabulary: {
      ...vocabulary,
      devices: [...new Set([...vocabulary.devices, ...own('device')])],
      users: [...new Set([...vocabulary.users, ...own('user')])],
      accounts: [...new Set([...vocabulary.accounts, ...own('account')])],
    },
  };
}

/** Words that stand for records of a limited answer, or of another kind, which none of the queries has. */
export function lostReference(input: ParserInput, { queries }: Parsed): string | undefined {
  const before = input.previous.at(-1);
  if (!before || input.isAgain || queries.length === 0) return undefined;
  const isOfLimited = ({ limit, orderBy }: Query) =>
    limit === before.limit && JSON.stringify(orderBy) === JSON.stringify(before.orderBy);
  const isKept = (query: Query) => {
    const whole = JSON.stringify([query.where, query.measure]);
    return before.limit !== undefined
      ? isOfLimited(query)
      : whole.includes(`"some":"${before.entity}"`) || topOf(before.where).some((each) => whole.includes(JSON.stringify(each)));
  };
  if (queries.every(isKept)) return undefined;
  return mentionsIn(input.text, input).find(({ entity }) => entity !== undefined || before.limit !== undefined)?.word;
}
