/**
 * `node bench/sapphire/whole/main.ts [file] [--list]`: whole questions with their queries (`first.tsv`: a query, the question, a second reading of it; `eighth.tsv`, of which totals alone were read), by the
 * parser alone. Right: the query of the answer is one of the readings; offered: that of one of at most five buttons. Judged by structure: whose names and
 * which times a query has is not compared, only that it has some.
 */
import { readFileSync } from 'node:fs';
import type { Query } from '@parapet/contract/rules/query.ts';
import { schemas } from '@parapet/server/domain/query/schemas.ts';
import { canonicalQuery } from '@parapet/server/features/sapphire/parsing/canonical.ts';
import { partsOfQuery } from '@parapet/server/features/sapphire/parsing/conditions.ts';
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

/** Comparisons with a number, of counts as well; of a length of time it does not matter whether the number is included. */
const comparesIn = (filter: unknown, entity: keyof typeof schemas): string[] => {
  if (Array.isArray(filter)) return filter.flatMap((each) => comparesIn(each, entity));
  if (filter === null || typeof filter !== 'object') return [];
  const { some, field, compare, value } = filter as Record<string, unknown>;
  if (typeof compare === 'string') {
    const unit = (schemas[entity].attributes[String(field)] as { unit?: string } | undefined)?.unit;
    return typeof value !== 'number' ? [] : [unit === 'minutes' ? compare.replace('=', '') : compare];
  }
  return Object.values(filter).flatMap((each) => comparesIn(each, (some ?? entity) as keyof typeof schemas));
};

function keyOf(said: Query): string {
  const query = canonicalQuery(said, schemas);
  const { conditions, ...parts } = partsOfQuery(said, schemas);
  const { order: usual } = schemas[query.entity];
  const isUsual = parts.order === `${usual.field} ${usual.isAscending ? 'asc' : 'desc'}`;
  const names = namesIn(query.where, query.entity);
  return JSON.stringify({
    ...parts,
    measure: parts.measure.replace('shares', 'rows'),
    order: isUsual ? '-' : parts.group === '-' ? parts.order : parts.order.replace(/^\S+ asc$/, 'asc'),
    conditions,
    compares: comparesIn([query.where, query.measure], query.entity).sort(),
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
