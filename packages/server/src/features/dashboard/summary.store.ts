/** SQL of the client’s summary: cases, responses and devices in the terms of their lists, so that every number equals the list behind it. */
import type { ClientSummary } from '@parapet/contract/dashboard.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { isWaiting } from '../../domain/caseTimes.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { shownUsers } from '../../domain/identities.ts';
import { isFoundMalicious, judgedVerdict } from '../../domain/judgedVerdict.ts';
import type { Range } from '../../domain/ranges.ts';
import { done } from '../../domain/responseStates.ts';

const [shownIncidents, shownQuestions, shownDevices, shownCases, shownNames, shownActions] = [5, 10, 10, 8, 3, 4];

const status = investigationStatusIds;
const isMalicious = isFoundMalicious(sql`c`);
/** Judged by decisioning alone. */
const isSuspected = sql<boolean>`(${judgedVerdict(sql`c`)} = 'Malicious' and not ${isMalicious})`;
const isHarmless = sql<boolean>`(c.closed_at is not null and ${judgedVerdict(sql`c`)} in ('Benign', 'False positive')
  and (c.resolution in ('benign', 'falsePositive') or c.investigation_status in (${sql.lit(status.benign)}, ${sql.lit(status.falsePositive)})))`;
const openedIn = ({ start, end }: Range): RawBuilder<boolean> =>
  sql<boolean>`(c.created_at >= ${new Date(start)} and c.created_at < ${new Date(end)})`;
const caseColumns = sql`c.id, left(c.title, 2000) as title, c.created_at as opened`;

interface StoredCase {
  id: number;
  title: string;
  opened: Date;
}
const caseOf = ({ id, title, opened }: StoredCase) => ({ id, title, openedTime: opened.toISOString() });

type Counts = Pick<
  ClientSummary,
  'opened' | 'resolved' | 'open' | 'incidentTotal' | 'suspectedTotal' | 'questionTotal' | 'actions' | 'approvals'
>;

/** `mayApprove`: the caller may decide on requests. */
export async function countSummary(
  tx: Tx,
  scope: Scope,
  range: Range,
  { now, mayApprove }: { now: number; mayApprove: boolean },
): Promise<Counts> {
  const count = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})::integer`;
  const { rows } = await sql<Counts>`
    select ${count(openedIn(range))} as opened, ${count(sql`${openedIn(range)} and c.closed_at is not null`)} as resolved,
      ${count(sql`c.closed_at is null`)} as open, ${count(sql`c.closed_at is null and ${isMalicious}`)} as "incidentTotal",
      ${count(sql`c.closed_at is null and ${isSuspected}`)} as "suspectedTotal",
      ${count(isWaiting(now))} as "questionTotal",
      (select count(*)::integer from responses r where ${within('r.organisation_id', scope)} and r.state = any(${[...done]})
        and r.requested_at >= ${new Date(range.start)} and r.requested_at < ${new Date(range.end)}) as actions,
      (select count(*)::integer from responses r where ${mayApprove} and ${within('r.organisation_id', scope)} and r.state = 'requested') as approvals
    from cases c where ${within('c.organisation_id', scope)} and (c.closed_at is null or ${openedIn(range)})`.execute(tx);
  return rows[0]!;
}

export async function listIncidents(tx: Tx, scope: Scope): Promise<ClientSummary['incidents']> {
  const { rows } = await sql<StoredCase>`
    select ${caseColumns} from cases c where ${within('c.organisation_id', scope)} and c.closed_at is null and ${isMalicious}
    order by c.criticality desc, c.created_at, c.id limit ${shownIncidents}`.execute(tx);
  return rows.map(caseOf);
}

export async function listQuestions(tx: Tx, scope: Scope, now: number): Promise<ClientSummary['questions']> {
  const { rows } = await sql<StoredCase & { askedAt: Date; until: Date | null }>`
    select ${caseColumns}, c.waiting_since as "askedAt", c.wait_expires_at as until
    from cases c where ${within('c.organisation_id', scope)} and ${isWaiting(now)}
    order by c.waiting_since, c.id limit ${shownQuestions}`.execute(tx);
  return rows.map((row) => ({
    ...caseOf(row),
    askedTime: row.askedAt.toISOString(),
    untilTime: row.until?.toISOString() ?? null,
  }));
}

/** Servers first, then those silent longest; without duplicates. */
export async function listBlind(tx: Tx, scope: Scope, now: number): Promise<ClientSummary['blind']> {
  const { rows } = await sql<{ name: string; deviceType: DeviceType; last: Date | null }>`
    select left(d.name, 2000) as name, d.device_type as "deviceType", d.last_event_at as last
    from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null and ${stateAt(new Date(now))} <> 'reporting'
    order by d.device_type <> 'server', d.last_event_at nulls last, d.name limit ${shownDevices}`.execute(tx);
  return rows.map(({ last, ...device }) => ({ ...device, lastEventTime: last?.toISOString() ?? null }));
}

type StoryRow = StoredCase &
  Omit<ClientSummary['story'][number], 'openedTime' | 'closedTime'> & {
    closed: Date | null;
  };

/** Malicious cases first, then by criticality and score; returned in order of time. */
export async function listStory(tx: Tx, scope: Scope, range: Range, now: number): Promise<ClientSummary['story']> {
  const names = (column: RawBuilder<unknown>) =>
    sql`array(select left(n, 2000) from unnest(${column}) with ordinality u (n, at) order by at limit ${shownNames})`;
  const { rows } = await sql<StoryRow>`
    select ${caseColumns}, c.closed_at as closed, ${isMalicious} as "isMalicious", ${isHarmless} as "isHarmless", ${isWaiting(now)} as "isWaiting",
      ${names(sql`c.device_names`)} as devices, cardinality(c.device_names) as "deviceTotal",
      ${names(sql`w.names`)} as users, cardinality(w.names) as "userTotal",
      coalesce((select json_agg(json_build_object('action', r.action, 'target', left(r.target, 2000), 'isVerified', r.state = 'verified') order by r.requested_at)
        from (select * from responses r where r.case_id = c.id and r.organisation_id = c.organisation_id and r.state = any(${[...done]})
          order by r.requested_at limit ${shownActions}) r), '[]') as actions
    from (select * from cases c where ${within('c.organisation_id', scope)} and ${openedIn(range)}
      order by ${isMalicious} desc, c.criticality desc, c.score desc, c.id limit ${shownCases}) c
    cross join lateral (select ${shownUsers(sql`c`, sql`c.user_names`)} as names) w
    order by c.created_at, c.id`.execute(tx);
  return rows.map(({ opened, closed, ...row }) => ({
    ...row,
    openedTime: opened.toISOString(),
    closedTime: closed?.toISOString() ?? null,
  }));
}
