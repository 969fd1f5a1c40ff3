/**
 * `node bench/sapphire/whole/main.ts [file] [--list]`: whole questions with their queries (`first.tsv`: a query, the question, a second reading of it), by the
 * parser alone. Right: the query of the answer is one of the readings; offered: that of one of at most five buttons. Judged by structure: whose names and
 * which times a query has is not compared, only that it has some.
 */
import { readFileSync } from 'node:fs';
import type { Query, QueryFilter } from '@parapet/contract/rules/query.ts';
import { schemas } from '@parapet/server/domain/query/schemas.ts';
import { partsOfQuery } from '@parapet/server/features/sapphire/parsing/conditions.ts';
import { allOf, topOf } from '@parapet/server/features/sapphire/parsing/frames.ts';
import { createLexicon } from '@parapet/server/features/sapphire/parsing/lexicon.ts';
import { queryLine } from '@parapet/server/features/sapphire/parsing/parse.samples.ts';
import { parse } from '@parapet/server/features/sapphire/parsing/parse.ts';
import { queryOf } from '../../../tools/phrasings.data.ts';

const isListed = process.argv.includes('--list');
const file = process.argv.slice(2).find((each) => !each.startsWith('--')) ?? new URL('./first.tsv', import.meta.url);

const clients =
  'Alder Manufacturing,Birch Dental Group,Cedar Credit Union,Dogwood Media,Elm Logistics,Fir Biotech,Juniper Foods,Maple Law';
const vocabulary = {
  clients: [
    ...['Harbor Managed Security', 'Summit Security'].map((name, at) => ({ id: at + 2, name, isPartner: true })),
    ...clients.split(',').map((name, at) => ({ id: at + 10, name, isPartner: false })),
  ],
  otherClients: [],
  devices: ['ALD-WS-01', 'BIR-SRV-02', 'ALD-DC-01', 'CED-DC-01'],
  users: ['jhearst', 'rnavarro'],
  rules: ['SSH Password Spraying', 'SSH Brute Force', 'Windows Account Locked Out', 'Crypto Mining Process'],
  techniques: [
    { id: 'T1110', name: 'Brute Force' },
    { id: 'T1110.003', name: 'Password Spraying' },
  ],
  tags: ['dmz', 'finance', 'pci', 'critical'],
  accounts: ['Priya Raman', 'Tom Okafor', 'Dana Weiss', 'Miguel Santos', 'Nadia Sorensen', 'Imani Fletcher'],
};

/** Conditions that hold for the same records. */
const alike: readonly [RegExp, string][] = [
  [/\{"some":"case"\}|\{"field":"disposition","in":\["inCase"\]\}/, '{"field":"hasCase","is":true}'],
  [/\{"not":\{"field":"hasCase","is":true\}\}/, '{"field":"hasCase","is":false}'],
  [/\{"not":\{"some":"(device|technique|rule)"\}\}/, '{"field":"$1","is":false}'],
  [/\{"some":"(device|technique|rule)"\}/, '{"field":"$1","is":true}'],
  [/\{"not":\{"some":"tag"\}\}/, '{"field":"isTagged","is":false}'],
  [/\{"some":"tag"\}/, '{"field":"isTagged","is":true}'],
  [/\{"not":\{"some":"collector"\}\}/, '{"field":"hasAgent","is":false}'],
  [/\{"field":"investigationStatus","in":\["5"\]\}/, '{"field":"resolution","in":["falsePositive"]}'],
  [/\{"field":"investigationStatus","in":\["6"\]\}/, '{"field":"resolution","in":["truePositive"]}'],
  [/\{"field":"analyst","is":(true|false)\}/, '{"field":"isAssigned","is":$1}'],
  [/\{"field":"user","is":(true|false)\}/, '{"field":"hasUser","is":$1}'],
  [/\{"field":"sla","in":\["breached"\]\}/, '{"field":"isBreached","is":true}'],
  [/\{"not":\{"field":"state","in":\["fixed"\]\}\}/, '{"field":"state","in":["open"]}'],
  [/\{"field":"decision","in":\["Pending"\]\}/, '{"field":"isDecided","is":false}'],
];
const isOfClient = (filter: QueryFilter): boolean =>
  'field' in filter && (filter.field === 'client' || filter.field === 'partner');

/** "Devices with the most alerts" are the groups of alerts by device. */
function grouped(query: Query): Query {
  const filters = topOf(query.where);
  const [related, ...rest] = [...filters].sort((a, b) => Number('some' in b) - Number('some' in a));
  if (
    query.orderBy?.field !== 'count' ||
    query.groupBy ||
    !related ||
    !('some' in related) ||
    related.count ||
    !rest.every(isOfClient)
  )
    return query;
  const where = allOf([...rest, ...topOf(related.where)]);
  const { orderBy } = query;
  return {
    entity: related.some,
    measure: { kind: 'count' },
    groupBy: [query.entity],
    orderBy,
    ...(where && { where }),
    ...(related.time && { time: related.time }),
  };
}

/** Fields of names, within related records as well. */
const namesIn = (filter: unknown, entity: keyof typeof schemas): string[] => {
  if (Array.isArray(filter)) return filter.flatMap((each) => namesIn(each, entity));
  if (filter === null || typeof filter !== 'object') return [];
  const {
    some,
    where,
    in: values,
    field,
  } = filter as { some?: keyof typeof schemas; where?: unknown; in?: unknown; field?: string };
  if (some) return namesIn(where, some);
  if (values && field !== undefined && schemas[entity].attributes[field]?.type.startsWith('name')) return [field];
  return Object.values(filter).flatMap((each) => namesIn(each, entity));
};

function keyOf(said: Query): string {
  const query = grouped(said);
  const { conditions, ...parts } = partsOfQuery(query, schemas);
  const all = conditions.map((each) => alike.reduce((text, [pattern, other]) => text.replace(pattern, other), each));
  const has = (part: string, isShare: boolean) => all.some((each) => each.startsWith('of ') === isShare && each.includes(part));
  // Closed or fixed in a time implies the state.
  const further = all.filter(
    (each) =>
      !(each === '{"field":"isOpen","is":false}' && has('"closedTime"', false)) &&
      !(each === 'of {"field":"isOpen","is":false}' && has('"closedTime"', true)) &&
      !(each === '{"field":"state","in":["fixed"]}' && has('"fixedAt"', false)),
  );
  const order =
    parts.group === '-'
      ? parts.order.replace(/^age desc$/, 'createdTime asc').replace(/^age asc$/, 'createdTime desc')
      : parts.order.replace(/^\S+ desc$/, '-').replace(/^\S+ asc$/, 'asc');
  const names = namesIn(query.where, query.entity);
  return JSON.stringify({
    ...parts,
    measure: parts.measure.replace('shares', 'rows'),
    order,
    conditions: [...new Set(further)].sort(),
    names: names.filter((field) => field !== 'client' && field !== 'partner').sort(),
    isOfClient: names.some((field) => field === 'client' || field === 'partner'),
    isTimed: /"(?:time|within)":/.test(JSON.stringify(query)),
  });
}

const totals = { right: 0, offered: 0, otherwise: 0, refused: 0, wrong: 0, 'rightly refused': 0, 'answered in error': 0 };
const lexicon = createLexicon(schemas);
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
  const [first = '', text = '', ...others] = line.split('\t');
  const readings = [first, ...others.filter((each) => each.startsWith('{'))].filter((each) => each !== '-').map(queryOf);
  const keys = new Set(readings.map(keyOf));
  const { queries, skill, nearest, clarify } = parse({
    text,
    lexicon,
    vocabulary,
    previous: [],
    now: Date.parse('2026-11-23T07:20:00Z'),
    timeZone: 'Europe/Berlin',
  });
  const isOne = (each: readonly Query[]): boolean => each.length === 1 && keys.has(keyOf(each[0]!));
  const offers = nearest ?? clarify?.queries ?? [];
  const isAnswered = queries.length > 0 || skill !== undefined;
  const result: keyof typeof totals =
    readings.length === 0
      ? isAnswered
        ? 'answered in error'
        : 'rightly refused'
      : isAnswered
        ? isOne(queries)
          ? 'right'
          : 'wrong'
        : offers.some(isOne)
          ? 'offered'
          : offers.length > 0
            ? 'otherwise'
            : 'refused';
  totals[result]++;
  if (isListed && result !== 'right' && result !== 'rightly refused')
    console.log(
      `${result}: ${text}\n${readings.map((each) => `  = ${queryLine(each)}`).join('\n')}\n${[queries, ...offers]
        .filter(({ length }) => length > 0)
        .map((each) => `  > ${each.map(queryLine).join('; ')}`)
        .join('\n')}`,
    );
}
console.log(totals);
