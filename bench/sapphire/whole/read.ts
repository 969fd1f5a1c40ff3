/** A world of names, and the structure of a query in which the bench compares: whose names and which times it has counts only as that it has some. */
import type { Query } from '@parapet/contract/rules/query.ts';
import { schemas } from '@parapet/server/domain/query/schemas.ts';
import { canonicalQuery } from '@parapet/server/features/sapphire/parsing/canonical.ts';
import { partsOfQuery } from '@parapet/server/features/sapphire/parsing/conditions.ts';
import { createLexicon } from '@parapet/server/features/sapphire/parsing/lexicon.ts';
import { parse } from '@parapet/server/features/sapphire/parsing/parse.ts';
import type { Parsed, ParserInput } from '@parapet/server/features/sapphire/parsing/parsed.ts';
import { rowsOf } from '../../../packages/server/test/parse.samples.ts';

const clients =
  'Alder Manufacturing,Birch Dental Group,Cedar Credit Union,Dogwood Media,Elm Logistics,Fir Biotech,Juniper Foods,Maple Law';
export const vocabulary = {
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

export function keyOf(input: Query): string {
  const query = canonicalQuery(input, schemas);
  const { conditions, ...parts } = partsOfQuery(input, schemas);
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

const lexicon = createLexicon(schemas);
export const read = (
  text: string,
  onRanked?: ParserInput['onRanked'],
  previous: readonly Query[] = [],
  rows = rowsOf(previous),
): Parsed =>
  parse({
    text,
    ...(rows && { rows }),
    lexicon,
    vocabulary,
    previous,
    now: Date.parse('2026-11-23T07:20:00Z'),
    timeZone: 'Europe/Berlin',
    ...(onRanked && { onRanked }),
  });

/** One conversation, its questions separated by ">>". */
export const readAll = (text: string): Parsed => {
  const [first = '', ...further] = text.split(' >> ');
  return further.reduce((before, next) => read(next, undefined, before.queries), read(first));
};
