/** SQL of what a rule would have sent. */
import type { DeliveryRuleInput, deliveriesApi } from '@parapet/contract/deliveries.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { criticalityOf } from '@parapet/contract/primitives.ts';
import { type DeliveryEvent, previewDays } from '@parapet/contract/rules/deliveries.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { everyDay } from './deliveries.rules.store.ts';

type Preview = Omit<AnswerOf<typeof deliveriesApi.preview>, 'total'>;

/** Counts by event what a rule would have sent since `from`. Cases count with their severity and verdict of today. */
export async function countPreview(tx: Tx, scope: Scope, owner: number, rule: DeliveryRuleInput, now: number): Promise<Preview> {
  const from = new Date(now - previewDays * dayMs);
  const { hours, verdicts, statuses, clientId } = rule;
  const covered = (column: string): RawBuilder<boolean> => sql<boolean>`${within(column, scope)} and exists (
    select from organisations o where o.id = ${sql.ref(column)} and (${owner}::integer in (o.id, o.parent_id) or ${owner}::integer = 1)
      and (${clientId}::integer is null or o.id = ${clientId}::integer))`;
  const during = (
    at: string,
  ): RawBuilder<boolean> => sql<boolean>`${sql.ref(at)} >= ${from} and in_hours(${sql.ref(at)}, ${hours?.zone ?? null},
    ${hours?.days ?? everyDay}::smallint[], ${hours?.from ?? 0}::integer, ${hours?.to ?? 1440}::integer)`;
  /** Cases that an escalation would have found unacknowledged. */
  const ofTime = (at: string, afterMinutes: number) =>
    afterMinutes === 0
      ? sql<boolean>`true`
      : sql<boolean>`coalesce(c.acknowledged_at, c.closed_at, 'infinity') > ${sql.ref(at)} + ${afterMinutes} * interval '1 minute'
          and ${sql.ref(at)} + ${afterMinutes} * interval '1 minute' <= ${new Date(now)}`;
  const ofCase = sql<boolean>`not c.is_excluded and c.criticality >= ${criticalityOf[rule.minSeverity]}`;
  const ofVerdict = (column: RawBuilder<unknown>) =>
    verdicts.length === 0 ? sql<boolean>`true` : sql<boolean>`${column} = any (${verdicts}::text[])`;
  const ofHistory = (kind: string, condition: RawBuilder<boolean>) => sql`
    select 1 from case_history h join cases c on c.id = h.case_id and c.organisation_id = h.organisation_id
    where ${covered('h.organisation_id')} and ${during('h.at')} and h.kind = ${kind} and ${ofCase} and ${condition}`;
  const opened = (after: number) =>
    sql`select 1 from cases c where ${covered('c.organisation_id')} and ${during('c.created_at')} and ${ofCase} and ${ofTime('c.created_at', after)}
      and ${verdicts.length === 0 ? sql`true` : sql`false`}`;
  const judged = (after: number) =>
    ofHistory(
      'decision',
      sql<boolean>`h.after->>'verdict' is not null and ${ofVerdict(sql`h.after->>'verdict'`)} and ${ofTime('h.at', after)}`,
    );
  const scans = (at: 'first_seen_at' | 'fixed_at') => sql`
    select distinct f.device_id, f.source, f.${sql.ref(at)} from findings f
    where ${covered('f.organisation_id')} and ${during(`f.${at}`)} and not f.is_repeated
      and array_position(${[...severities]}::text[], f.severity) <= ${severities.indexOf(rule.minSeverity) + 1}`;
  const queries: Record<DeliveryEvent, RawBuilder<unknown>> = {
    'case.opened': opened(rule.afterMinutes),
    'case.verdict': judged(rule.afterMinutes),
    'case.acknowledged': ofHistory('status', sql<boolean>`h.after @> '{"acknowledged": true}' and ${ofVerdict(sql`c.verdict`)}`),
    'case.statusChanged': ofHistory(
      'status',
      sql<boolean>`h.after->>'status' is not null and h.after->>'status' is distinct from h.before->>'status' and ${ofVerdict(sql`c.verdict`)}
        and ${statuses.length === 0 ? sql`true` : sql`h.after->>'status' = any (${statuses}::text[])`}`,
    ),
    // The watch of the timers writes these texts only.
    'case.slaWarning': ofHistory(
      'status',
      sql<boolean>`h.is_internal and h.actor_user_id is null and h.text ~ '^Time to (acknowledge|contain|close): target (at risk|missed) '
        and ${ofVerdict(sql`c.verdict`)}`,
    ),
    'alert.raised': sql`select 1 from alerts a where ${covered('a.organisation_id')} and ${during('a.at')}
      and a.criticality >= ${criticalityOf[rule.minSeverity]}
      and not exists (select from suppressed_alerts s where s.alert_id = a.id and s.alert_at = a.at)`,
    'response.approvalNeeded': sql`select 1 from responses r where ${covered('r.organisation_id')} and ${during('r.requested_at')}
      and r.approvals_needed > 0`,
    'source.silent': sql`select 1 from device_silences s where ${covered('s.organisation_id')} and ${during('s.told_at')}`,
    // One message per scan, where a scan with many has several.
    'vulnerability.found': scans('first_seen_at'),
    'vulnerability.fixed': scans('fixed_at'),
    'report.ready': sql`select 1 from report_schedules p where ${covered('p.organisation_id')} and ${during('p.last_sent_at')}`,
    'digest.weekly': sql`select 1 from organisations d
      cross join generate_series(${from}::timestamptz, ${new Date(now)}::timestamptz, interval '1 day') g (day)
      cross join lateral (select date_trunc('day', g.day, 'UTC') + interval '6 hours' as at) w
      where ${covered('d.id')} and not d.is_partner and d.deactivated_at is null and d.created_at < w.at and extract(isodow from w.at at time zone 'UTC') = 1
        and w.at >= ${from} and w.at <= ${new Date(now)}`,
  };
  const countOf = async (query: RawBuilder<unknown>): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from (${query}) q`.execute(tx);
    return rows[0]?.count ?? 0;
  };
  const results: Preview['results'] = [];
  for (const event of new Set(rule.events)) results.push({ event, count: await countOf(queries[event]) });
  const escalations: Preview['escalations'] = [];
  for (const { afterMinutes } of rule.escalations) {
    const counts = [
      rule.events.includes('case.opened') ? await countOf(opened(afterMinutes)) : 0,
      rule.events.includes('case.verdict') ? await countOf(judged(afterMinutes)) : 0,
    ];
    escalations.push({ afterMinutes, count: counts.reduce((sum, count) => sum + count, 0) });
  }
  return { results, escalations };
}
