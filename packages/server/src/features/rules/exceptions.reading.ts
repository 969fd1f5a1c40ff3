/** Exceptions of rules and suppressions of alerts as one list. */
import type { exceptionsApi, HidingKind, HidingRow } from '@parapet/contract/exceptions.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import { readScoped, type Scope, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { isAmong, type QueryRows, queryRows } from '../../domain/query/listed.ts';
import { shownName } from '../../domain/visibility.ts';
import { type RulesDeps, sightOf } from './rules.sight.ts';

const hiddenMs = 30 * dayMs;
type ListQuery = z.output<typeof exceptionsApi.list.query>;

interface StoredRow extends Omit<HidingRow, 'createdTime' | 'endTime' | 'isActive' | 'lastTime'> {
  createdAt: Date;
  endsAt: Date;
  lastAt: Date | null;
}

export async function listHiding(
  { db, clock, detector }: RulesDeps,
  actor: Actor,
  client: number,
  query: ListQuery,
): Promise<{ results: HidingRow[]; total: number }> {
  const { scope, settings } = sightOf(actor, detector.current(), client);
  // Those above a client that the actor may name; others are theirs to know.
  const organisationIds = settings.organisationIds.filter((id) => actor.organisationIds.includes(id));
  const now = new Date(clock.now());
  const { rows, total } = await readScoped(db, { ...settings, organisationIds }, (tx) =>
    readRows(tx, scope, { ...settings, organisationIds }, now, query, queryRows(actor, scope, query.query, now.getTime())),
  );
  return {
    results: rows.map(({ createdAt, endsAt, lastAt, ...row }) => ({
      ...row,
      createdTime: createdAt.toISOString(),
      endTime: endsAt.toISOString(),
      isActive: endsAt > now,
      lastTime: lastAt?.toISOString() ?? null,
    })),
    total,
  };
}

/** `scope`: of clients whose hidden alerts count; `settings`: also those above. */
async function readRows(
  tx: Tx,
  scope: Scope,
  settings: Scope,
  now: Date,
  { page, pageSize, kind, state }: ListQuery,
  rows: QueryRows | undefined,
): Promise<{ rows: StoredRow[]; total: number }> {
  const since = new Date(now.getTime() - hiddenMs);
  const isWanted = (each: HidingKind) => sql<boolean>`${kind.length === 0 || kind.includes(each)}`;
  const inState = sql<boolean>`(${state.length !== 1} or (ends_at > ${now}) = ${state[0] === 'active'})`;
  const isQueried = sql.join(
    [sql<boolean>`true`, ...isAmong('e', rows).map((each) => sql`e.kind = 'suppression' and ${each}`)],
    sql` and `,
  );
  const { rows: found } = await sql<StoredRow & { total: number }>`
    with listed as (
      select e.kind, e.id, e.organisation_id, coalesce(e.rule_key, r.key) as rule_key, e.device_name, e.user_name, e.yaml as filter, e.reason,
        ${shownName(settings, 'e.owner_user_id', 'e.owner_name')} as owner, e.created_at, e.ends_at
      from exceptions e left join rules r on r.id = e.rule_id
      where ${inState} and ${isQueried} and ((e.kind = 'exception' and ${within('e.organisation_id', settings)} and ${isWanted('exception')})
        or (e.kind = 'suppression' and ${within('e.organisation_id', scope)} and ${isWanted('suppression')}))
    ), chosen as (
      select *, count(*) over ()::integer as total from listed order by ends_at > ${now} desc, ends_at desc, id desc
      limit ${pageSize} offset ${(page - 1) * pageSize})
    select l.kind, l.id, l.organisation_id as "organisationID", o.name as organisation, l.rule_key as "ruleID",
      (select left(r.title, 2000) from rules r where r.key = l.rule_key) as rule, l.device_name as "deviceName", l.user_name as "userName", l.filter,
      left(l.reason, 2000) as reason, l.owner, l.created_at as "createdAt", l.ends_at as "endsAt", coalesce(h.count, 0)::float8 as hidden,
      h.last_at as "lastAt", l.total
    from chosen l join organisations o on o.id = l.organisation_id
    left join lateral (
      select sum(d.count) as count, max(d.last_at) as last_at from rule_exception_days d
        where l.kind = 'exception' and d.exception_id = l.id and d.day >= ${since}::date and ${within('d.organisation_id', scope)}
      union all
      select count(*), max(x.alert_at) from suppressed_alerts x
        where l.kind = 'suppression' and x.suppression_id = l.id and x.alert_at >= ${since} and ${within('x.organisation_id', scope)}
    ) h on h.count > 0
    order by l.ends_at > ${now} desc, l.ends_at desc, l.id desc`.execute(tx);
  return { rows: found.map(({ total: _, ...row }) => row), total: found[0]?.total ?? 0 };
}

export const removeOldCounts = (tx: Tx): Promise<unknown> =>
  sql`delete from rule_exception_days where day < now() - interval '90 days'`.execute(tx);
