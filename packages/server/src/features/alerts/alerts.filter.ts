/** List filters as conditions on the alerts’ own columns: rules are resolved to ids first, so that no join filters. */
import type { alertDispositions, alertsApi } from '@parapet/contract/alerts.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { maxId, severities } from '@parapet/contract/rules/values.ts';
import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { containing, storable } from '../../core/db/like.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { dispositionConditions } from '../../domain/alertDispositions.ts';
import { listNamesOfDevice } from '../../domain/deviceCounts.ts';
import { parentOf } from '../../domain/facts.ts';
import { findNamedUser, isOfUser, type NamedUser } from '../../domain/identities.ts';
import { isAmong, type QueryRows } from '../../domain/query/listed.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Rules } from './alerts.catalogue.ts';

export type ListQuery = z.output<typeof alertsApi.list.query>;
/** Filters of the list, its export and bulk jobs. */
export type SelectionQuery = Omit<ListQuery, 'page' | 'pageSize' | 'sort' | 'order'>;

export interface Filter {
  criticalities?: number[];
  isNew?: boolean;
  /** With any of the following, rollups cannot supply the total. */
  ruleIds?: number[];
  /** A device by all of its names. */
  devices?: string[];
  /** A user by all of the joined names. */
  user?: NamedUser;
  text?: { pattern: string; ruleIds: number[]; alertId: number | undefined };
  dispositions?: Fate[];
  rows?: QueryRows;
}

type Fate = (typeof alertDispositions)[number];

/** True if rollups hold the number of matching alerts per day. */
export const isCounted = ({ ruleIds, devices, user, text, dispositions, rows }: Filter): boolean =>
  [ruleIds, devices, user, text, dispositions, rows].every((part) => part === undefined);

/** Undefined when no alert can match: rules or categories that do not exist. */
export async function readFilter(
  tx: Tx,
  scope: Scope,
  rules: Rules,
  query: SelectionQuery,
  rows?: QueryRows,
): Promise<Filter | undefined> {
  const filter = resolveFilter(rules, query);
  if (filter && rows) filter.rows = rows;
  // Resolved before the query: a single name is an equality, whose index yields a page in order.
  if (filter?.devices?.[0] !== undefined) filter.devices = await listNamesOfDevice(tx, filter.devices[0]);
  if (filter && query.user !== undefined) filter.user = await findNamedUser(tx, scope, storable(query.user));
  return filter;
}

function resolveFilter(rules: Rules, query: SelectionQuery): Filter | undefined {
  const filter: Filter = {};
  const criticalities = [...new Set(query.severity.map((severity) => criticalityOf[severity]))];
  if (criticalities.length > 0 && criticalities.length < severities.length) filter.criticalities = criticalities;
  const [status] = query.status;
  if (status && query.status.every((other) => other === status)) filter.isNew = status === 'new';
  if (query.device !== undefined) filter.devices = [storable(query.device)];
  if (query.fate.length > 0) filter.dispositions = [...new Set(query.fate)];
  if (query.rule.length > 0 || query.category.length > 0 || query.technique.length > 0) {
    const fits = (wanted: readonly string[], value: string) => wanted.length === 0 || wanted.includes(value);
    const techniques = query.technique.map((id) => id.toUpperCase());
    const isAny = techniques.includes('ANY');
    const isNone = techniques.includes('NONE');
    const fitsTechnique = (ids: readonly string[]) =>
      techniques.length === 0 ||
      (isAny && ids.length > 0) ||
      (isNone && ids.length === 0) ||
      ids.some((id) => techniques.includes(id) || techniques.includes(parentOf(id)));
    filter.ruleIds = rules.list
      .filter((rule) => fits(query.rule, rule.key) && fits(query.category, rule.category) && fitsTechnique(rule.techniques))
      .map((rule) => rule.id);
    if (filter.ruleIds.length === 0) return undefined;
  }
  if (query.text !== '') {
    const wanted = query.text.toLowerCase();
    const number = /^#?(\d{1,10})$/.exec(query.text)?.[1];
    filter.text = {
      pattern: containing(query.text),
      ruleIds: rules.list.filter((rule) => rule.title.toLowerCase().includes(wanted)).map((rule) => rule.id),
      alertId: number !== undefined && Number(number) <= maxId ? Number(number) : undefined,
    };
  }
  return filter;
}

/** For alerts aliased `a`. A single value is an equality, so that an index is read in the order of its next column. */
const oneOf = (
  column: string,
  values: readonly (number | string)[],
  type: 'smallint' | 'integer' | 'text',
): RawBuilder<boolean> =>
  values.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${values[0]}`
    : sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`;

/** Conditions of the alerts, aliased `a`, of a scope, a timeframe and a filter. */
export const conditionsIn = (scope: Scope, { start, end }: Range, filter: Filter): RawBuilder<boolean>[] => [
  within('a.organisation_id', scope),
  sql<boolean>`a.at >= ${new Date(start)} and a.at < ${new Date(end)}`,
  ...conditionsOf(filter),
];

export function conditionsOf({
  criticalities,
  isNew,
  ruleIds,
  devices,
  user,
  text,
  dispositions,
  rows,
}: Filter): RawBuilder<boolean>[] {
  return [
    ...(criticalities ? [oneOf('a.criticality', criticalities, 'smallint')] : []),
    ...(isNew === undefined ? [] : [sql<boolean>`a.is_new = ${isNew}`]),
    ...(ruleIds ? [oneOf('a.rule_id', ruleIds, 'integer')] : []),
    ...(devices ? [oneOf('a.device_name', devices, 'text')] : []),
    ...(user ? [isOfUser('a', user)] : []),
    ...(text ? [matchesText(text)] : []),
    ...isAmong('a', rows),
    ...(dispositions
      ? [
          sql<boolean>`(${sql.join(
            dispositions.map((disposition) => dispositionConditions[disposition]),
            sql` or `,
          )})`,
        ]
      : []),
  ];
}

const matchesText = ({ pattern, ruleIds, alertId }: NonNullable<Filter['text']>): RawBuilder<boolean> =>
  sql<boolean>`(a.summary ilike ${pattern} or a.device_name ilike ${pattern} or a.user_name ilike ${pattern}
    ${ruleIds.length > 0 ? sql`or a.rule_id = any(${ruleIds}::integer[])` : sql``}
    ${alertId === undefined ? sql`` : sql`or a.id = ${alertId}`})`;
