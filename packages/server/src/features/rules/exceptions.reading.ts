/** Exceptions of rules and suppressions of alerts as one list. */
import type { exceptionsApi, HidingKind, HidingRow } from '@parapet/contract/exceptions.ts';
import { sql } from 'kysely';
import type { z } from 'zod';
import { readScoped, type Scope, type Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { dayMs } from '../../domain/ranges.ts';
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
    readRows(tx, scope, { ...settings, organisationIds }, now, query),
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
): Promise<{ rows: StoredRow[]; total: number }> {
  const since = new Date(now.getTime() - hiddenMs);
  const isWanted = (each: HidingKind) => sql<boolean>`${kind.length === 0 || kind.includes(each)}`;
  const inState = sql<boolean>`(${state.length !== 1} or (ends_at > ${now}) = ${state[0] === 'active'})`;
  const { rows } = await sql<StoredRow & { total: number }>`
    with listed as (
      select 'exception' as kind, e.id, e.organisation_id, e.rule_key, null::text as device_name, null::text as user_name, e.yaml as filter, e.reason,
        ${shownName(settings, 'e.owner_id', 'e.owner_name')} as owner, e.created_at, e.ends_at
      from rule_exceptions e where ${within('e.organisation_id', settings)} and ${isWanted('exception')} and ${inState}
      union all
      select 'suppression', s.id, s.organisation_id, r.key, s.device_name, s.user_name, null, s.reason,
        ${shownName(settings, 's.owner_user_id', 's.owner_name')}, s.created_at, s.ends_at
      from suppressions s left join rules r on r.id = s.rule_id
      where ${within('s.organisation_id', scope)} and ${isWanted('suppression')} and ${inState}
    ), chosen as (
      select *, count(*) over ()::integer as total from listed order by ends_at > ${now} desc, ends_at desc, kind, id desc
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
    order by l.ends_at > ${now} desc, l.ends_at desc, l.kind, l.id desc`.execute(tx);
  return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
}

export const removeOldCounts = (tx: Tx): Promise<unknown> =>
  sql`delete from rule_exception_days where day < now() - interval '90 days'`.execute(tx);
