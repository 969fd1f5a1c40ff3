/** Names, a moment and a short form of queries for the tests of the parser. */
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { schemas } from '../src/domain/query/schemas.ts';
import { createLexicon } from '../src/features/sapphire/parsing/lexicon.ts';
import { parse } from '../src/features/sapphire/parsing/parse.ts';
import type { Parsed, ParserInput } from '../src/features/sapphire/parsing/parsed.ts';
import type { Vocabulary } from '../src/features/sapphire/parsing/vocabulary.ts';

const clients = ['Alder Manufacturing', 'Birch Dental Group', 'Cedar Credit Union', 'Dogwood Media', 'Elm Logistics'];
export const names: Vocabulary = {
  clients: [
    { id: 2, name: 'Harbor Managed Security', isPartner: true },
    ...clients.map((name, index) => ({
      id: 10 + index,
      name,
      isPartner: false,
      ...(index === 1 && { industry: 'Healthcare', city: 'Portland' }),
    })),
  ],
  otherClients: [{ id: 20, name: 'Fir Biotech', isPartner: false }],
  devices: ['CED-DC-01', 'CED-WS-007', 'ALD-SQL-01', 'BIR-WEB-01'],
  users: ['jhearst', 'mkowalski'],
  rules: ['SSH Password Spraying', 'SSH Brute Force', 'Windows Account Locked Out', 'Crypto Mining Process'],
  techniques: [
    { id: 'T1110', name: 'Brute Force' },
    { id: 'T1110.003', name: 'Password Spraying' },
  ],
  tags: ['dmz', 'finance', 'pci'],
  accounts: ['Priya Raman', 'Tom Okafor', 'Nadia Sorensen'],
};

const lexicon = createLexicon(schemas);

/** A question of Monday, 23 November 2026, 08:20 in Berlin, with doubt. */
export const ask = (text: string, previous: readonly Query[] = [], isUndoubted = false, rows?: ParserInput['rows']): Parsed =>
  parse({
    ...(rows && { rows }),
    text,
    lexicon,
    vocabulary: names,
    previous,
    now: Date.parse('2026-11-23T07:20:00Z'),
    timeZone: 'Europe/Berlin',
    isUndoubted,
  });
/** Rows of the last query, of the names above: as many as its limit. */
export function rowsOf(queries: readonly Query[]): { ids: string[]; names: string[] } | undefined {
  const { entity, limit, groupBy: [group] = [] } = queries.at(-1) ?? {};
  if (!entity || limit === undefined || limit > 5) return undefined;
  const known: Record<string, readonly string[]> = {
    device: names.devices,
    user: names.users,
    rule: names.rules,
    client: names.clients.map(({ name }) => name),
    technique: names.techniques.map(({ id }) => id),
  };
  const shown = known[group ?? entity] ?? ['One', 'Two', 'Three', 'Four', 'Five'];
  return { ids: group ? [] : shown.slice(0, limit).map((_, at) => String(412 + at)), names: shown.slice(0, limit) };
}
/** Of the grammar alone. */
export const read = (text: string, previous: readonly Query[] = []): Parsed => ask(text, previous, true);

const first = (name: unknown) => String(name).split(' ')[0]!;

export const filterLine = (filter: QueryFilter | undefined): string => {
  if (filter === undefined) return '';
  if ('and' in filter) return filter.and.map(filterLine).join(' & ');
  if ('or' in filter) return `(${filter.or.map(filterLine).join(' | ')})`;
  if ('not' in filter) return `!${'and' in filter.not ? `(${filterLine(filter.not)})` : filterLine(filter.not)}`;
  if ('some' in filter) {
    const { some, where, time, count } = filter;
    return `some ${some}{${filterLine(where)}${time ? `@${time.label}` : ''}${count ? `#${count.compare}${count.isOfAverage ? 'average' : count.value}` : ''}}`;
  }
  if ('in' in filter) {
    const isName = ['client', 'partner'].includes(filter.field);
    return `${filter.field}=${filter.in.map((value) => (isName ? first(value) : value)).join('|')}`;
  }
  if ('is' in filter) return `${filter.is ? '' : '-'}${filter.field}`;
  if ('compare' in filter) return `${filter.field}${filter.compare}${filter.isOfAverage ? 'average' : filter.value}`;
  return 'within' in filter ? `${filter.field}@${filter.within.label}` : `${filter.field}~${filter.contains}`;
};

/** One line: `alert count [severity=critical & !client=Birch] @last month by rule order count limit 5`. */
export function queryLine({
  entity,
  measure,
  where,
  time,
  groupBy,
  bucketTime,
  having,
  orderBy,
  limit,
  show,
  against,
}: Query): string {
  const per =
    measure.kind === 'count'
      ? `${measure.per ? ` per ${measure.per}` : ''}${measure.isShare ? ' in percent' : ''}${measure.distinct ? ` distinct ${measure.distinct}` : ''}`
      : '';
  const of = 'field' in measure ? `(${measure.field})` : 'of' in measure ? `(${filterLine(measure.of)})` : '';
  return [
    `${entity} ${measure.kind}${of}${per}`,
    where && `[${filterLine(where)}]`,
    time && `@${time.label}`,
    groupBy && `by ${groupBy.join(', ')}${bucketTime ? ` (${bucketTime})` : ''}`,
    having && `having ${having.compare}${having.value}`,
    orderBy && `order ${orderBy.isAscending ? '+' : '-'}${orderBy.field}`,
    limit !== undefined && `limit ${limit}`,
    show && `show ${show.join(', ')}`,
    against && `against ${against.average ? `average ${against.average}` : (against.time?.label ?? filterLine(against.where))}`,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Lines of the queries, or the reason for none. */
export function outcome(parsed: Parsed): string {
  const { queries, left, clarify, command, refused, otherClient, skill } = parsed;
  if (queries.length > 0) return queries.map(queryLine).join('; ');
  if (skill) return `skill ${skill.name}`;
  if (command) return `command ${command.verb}`;
  if (refused) return `refused ${refused.kind}`;
  if (otherClient !== undefined) return `other client ${otherClient}`;
  if (clarify)
    return `clarify ${[...clarify.choices, ...clarify.queries.map((each) => each.map(queryLine).join(' + '))].join('; ')}`;
  return `left ${left.join(', ')}`;
}
