/** "Their open cases" after a question about Birch: what a pronoun of a follow-up stands for. */
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { allOf, areRelated, topOf } from './frames.ts';
import type { Parsed, ParserInput } from './parsed.ts';
import { stem } from './tokens.ts';

const pronoun = /\b(?:their|its|them|those|these)\b|\b(?:do|are|have|were) they\b|\bthey (?:have|are|had|were|got)\b/i;

/** The one client that a query is about. */
function clientOf(query: Query | undefined, { clients }: ParserInput['vocabulary']): string | undefined {
  const [own, another] = topOf(query?.where).flatMap((filter) =>
    'in' in filter && (['client', 'partner'].includes(filter.field) || (query!.entity === 'client' && filter.field === 'name'))
      ? filter.in
      : [],
  );
  return another === undefined && clients.some(({ name }) => name === own) ? String(own) : undefined;
}

/** The records before, or one of their filters, are in the query. */
function carries(query: Query, before: Query): boolean {
  const whole = JSON.stringify([query.where, query.measure, query.against]);
  const isIn = (filter: QueryFilter) =>
    whole.includes(JSON.stringify(filter)) || ('in' in filter && whole.includes(JSON.stringify(filter.in)));
  return whole.includes(`"some":"${before.entity}"`) || topOf(before.where).some(isIn);
}

/**
 * A question whose pronoun was understood as nothing is of the client before; otherwise it needs a clarification with the same records. `parse` reads a whole
 * question.
 */
export function withPronouns(input: ParserInput, parsed: Parsed, parse: (text: string) => Parsed): Parsed {
  const before = input.previous.at(-1);
  if (!before?.where || input.isAgain || !pronoun.test(input.text)) return parsed;
  if (parsed.skill ?? parsed.command ?? parsed.refused ?? parsed.otherClient) return parsed;
  const isCarried = parsed.queries.length > 0 && parsed.queries.some((query) => carries(query, before));
  // "How many devices do they have" after a number of alerts: of the client, and not of these alerts.
  const isOfAlerts = before.measure.kind !== 'list' && parsed.queries.some(({ entity }) => entity !== before.entity);
  if (isCarried && !isOfAlerts) return parsed;
  const column = columnOf(input, before);
  if (column !== undefined) return { queries: [{ ...before, show: [column] }], left: [] };
  const client = clientOf(before, input.vocabulary);
  const again = client === undefined ? undefined : parse(named(input.text, client));
  const offers = again ? (again.nearest ?? again.clarify?.queries ?? []) : [];
  const isOfClient = (queries: readonly Query[]) => queries.length > 0 && queries.every((query) => carries(query, before));
  const isOfRecords = again?.queries.some(({ entity }) => areRelated(input.lexicon.schemas, entity, before.entity));
  // After a list of cases "their devices" are of these, or of the client.
  const isOpen = isOfRecords && before.measure.kind === 'list' && before.entity !== 'client' && before.limit === undefined;
  if (again && isOfClient(again.queries) && !isOpen) return again;
  const ofRecords = isOpen ? again!.queries.map((query) => relatedTo(query, before)) : [];
  if (isCarried) return parsed;
  const near = [again?.queries ?? [], ofRecords, ...offers, ...(parsed.nearest ?? [])].filter(isOfClient);
  if (parsed.queries.length === 0 && near.length === 0) return parsed;
  const left = parsed.left.length > 0 ? parsed.left : [pronoun.exec(input.text)![0]];
  return { queries: [], left, nearest: near.length > 0 ? near : [[before], parsed.queries] };
}

const relatedTo = (query: Query, { entity, where, time }: Query): Query => ({
  ...query,
  where: allOf([{ some: entity, ...(where && { where }), ...(time && { time }) }, ...topOf(query.where)])!,
});

/** "Their owner": a column of the records listed before. */
function columnOf({ text, lexicon }: ParserInput, { entity, measure, groupBy }: Query): string | undefined {
  const word = /\b(?:their|its) ([a-z-]+(?: [a-z-]+)?)[ ?.!]*$/i.exec(text)?.[1]?.toLowerCase();
  if (word === undefined || measure.kind !== 'list' || groupBy) return undefined;
  const root = stem(word);
  const found = Object.entries(lexicon.schemas[entity].attributes).find(([, { words }]) =>
    words.some((each) => stem(each) === root),
  );
  return found?.[0];
}

const named = (text: string, client: string): string =>
  text
    .replace(/\b(?:their|its)\b/gi, `${client}'s`)
    .replace(/\b(?:them|they|those|these)\b/gi, client)
    .replace(/^(?:and|so|ok) /i, '');
