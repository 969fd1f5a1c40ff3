/** SQL of figures only reports use. Cases count by opening and closing time, as on the case list. */
import { type CaseStatus, investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import type { JudgedVerdict } from '@parapet/contract/rules/judgement.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { isFoundMalicious, judgedVerdict } from '../../domain/judgedVerdict.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Client } from './reports.client.ts';

export async function findClient(tx: Tx, scope: Scope, id: number): Promise<Client | undefined> {
  const { rows } = await sql<Client>`
    select id, left(name, 200) as name, time_zone as "timeZone", created_at as "createdAt" from organisations
    where ${within('id', scope)} and id = ${id}`.execute(tx);
  return rows[0];
}

export interface CaseCounts {
  opened: number;
  closed: number;
  /** Opened in the range and marked malicious by a person or by status. */
  malicious: number;
  /** Not closed when the range ended. */
  openAtEnd: number;
  /** Of these, open for more than 30 days by then. */
  oldAtEnd: number;
  /** Of those still open, currently waiting for the client. */
  waiting: number;
  /** Opened in the range and closed after it: earlier reports have the verdicts before. */
  closedLater: number;
  /** Opened in the range, with a containment recorded before it had to be verified: earlier reports count it. */
  unverified: number;
  byCriticality: { criticality: number; opened: number; closed: number; malicious: number; openAtEnd: number }[];
}

const isMalicious = isFoundMalicious(sql`c`);

export async function countCases(tx: Tx, scope: Scope, { start, end }: Range): Promise<CaseCounts> {
  const [from, to] = [new Date(start), new Date(end)];
  const opened = sql`c.created_at >= ${from} and c.created_at < ${to}`;
  const closed = sql`c.closed_at >= ${from} and c.closed_at < ${to}`;
  const isOpen = sql`c.created_at < ${to} and (c.closed_at is null or c.closed_at >= ${to})`;
  const count = (condition: unknown) => sql`count(*) filter (where ${condition})::integer`;
  const { rows } = await sql<
    CaseCounts['byCriticality'][number] & Pick<CaseCounts, 'oldAtEnd' | 'waiting' | 'closedLater' | 'unverified'>
  >`
    select c.criticality, ${count(opened)} as opened, ${count(closed)} as closed, ${count(sql`${opened} and ${isMalicious}`)} as malicious,
      ${count(isOpen)} as "openAtEnd", ${count(sql`${isOpen} and c.created_at < ${to}::timestamptz - interval '30 days'`)} as "oldAtEnd",
      ${count(sql`${opened} and c.closed_at >= ${to}`)} as "closedLater", ${count(sql`${opened} and c.containment = 'unverified'`)} as unverified,
      ${count(sql`c.closed_at is null and ${isOpen} and c.investigation_status = ${sql.lit(investigationStatusIds.waitingForClient)}`)} as waiting
    from cases c where ${within('c.organisation_id', scope)} and (${opened} or ${closed} or ${isOpen}) group by 1 order by 1 desc`.execute(
    tx,
  );
  const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    opened: sum((row) => row.opened),
    closed: sum((row) => row.closed),
    malicious: sum((row) => row.malicious),
    openAtEnd: sum((row) => row.openAtEnd),
    oldAtEnd: sum((row) => row.oldAtEnd),
    waiting: sum((row) => row.waiting),
    closedLater: sum((row) => row.closedLater),
    unverified: sum((row) => row.unverified),
    byCriticality: rows.map(({ criticality, opened, closed, malicious, openAtEnd }) => ({
      criticality,
      opened,
      closed,
      malicious,
      openAtEnd,
    })),
  };
}

export interface CaseLine {
  id: number;
  title: string;
  criticality: number;
  status: CaseStatus;
  verdict: JudgedVerdict | null;
  alerts: number;
  openedAt: Date;
  closedAt: Date | null;
}

const maxCases = 100;

/** Cases opened or closed in the range: malicious ones first, then by criticality and score. */
export async function listCases(tx: Tx, scope: Scope, { start, end }: Range): Promise<CaseLine[]> {
  const [from, to] = [new Date(start), new Date(end)];
  const { rows } = await sql<CaseLine>`
    select c.id, left(c.title, 300) as title, c.criticality, c.status, ${judgedVerdict(sql`c`)} as verdict, c.alert_count as alerts,
      c.created_at as "openedAt", c.closed_at as "closedAt"
    from cases c where ${within('c.organisation_id', scope)}
      and ((c.created_at >= ${from} and c.created_at < ${to}) or (c.closed_at >= ${from} and c.closed_at < ${to}))
    order by ${isMalicious} desc, c.criticality desc, c.score desc, c.id limit ${maxCases}`.execute(tx);
  return rows;
}

/** Emails about cases written to the client. */
export async function countMails(tx: Tx, scope: Scope, { start, end }: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from mails where ${within('organisation_id', scope)} and case_id is not null
      and created_at >= ${new Date(start)} and created_at < ${new Date(end)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** `requested` is the sum of all states. */
export interface ResponseCount {
  action: string;
  requested: number;
  /** Acknowledged or verified, even if undone since. */
  done: number;
  failed: number;
  /** Cancelled before completion. */
  cancelled: number;
  pending: number;
}

/** Current state of the responses requested in the range, by action. */
export async function listResponses(tx: Tx, scope: Scope, { start, end }: Range): Promise<ResponseCount[]> {
  const { rows } = await sql<ResponseCount>`
    select action, count(*)::integer as requested, count(*) filter (where is_done)::integer as done,
      count(*) filter (where not is_done and state in ('failed', 'expired'))::integer as failed,
      count(*) filter (where not is_done and state = 'released')::integer as "cancelled",
      count(*) filter (where not is_done and state not in ('failed', 'expired', 'released'))::integer as pending
    from (
      select r.action, r.state, exists (
        select from response_steps s where s.response_id = r.id and s.state in ('acknowledged', 'verified')) as is_done
      from responses r where ${within('r.organisation_id', scope)} and r.requested_at >= ${new Date(start)} and r.requested_at < ${new Date(end)}
    ) r group by 1 order by 2 desc, 1`.execute(tx);
  return rows;
}

export async function countNewDevices(tx: Tx, scope: Scope, { start, end }: Range): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from devices d where ${within('d.organisation_id', scope)} and d.merged_into is null
      and d.created_at >= ${new Date(start)} and d.created_at < ${new Date(end)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export interface FindingCounts {
  /** First seen in the range, whatever their current state. */
  found: number;
  fixed: number;
}

export async function countFindings(tx: Tx, scope: Scope, { start, end }: Range): Promise<FindingCounts> {
  const [from, to] = [new Date(start), new Date(end)];
  const { rows } = await sql<FindingCounts>`
    select count(*) filter (where first_seen_at >= ${from} and first_seen_at < ${to})::integer as found,
      count(*) filter (where fixed_at >= ${from} and fixed_at < ${to})::integer as fixed
    from findings where ${within('organisation_id', scope)} and not is_repeated`.execute(tx);
  return rows[0] ?? { found: 0, fixed: 0 };
}

export interface SilentDevice {
  name: string;
  type: string;
  since: Date;
  endedAt: Date | null;
}

const maxSilences = 100;

/** Reported silences that overlap the range, ongoing ones first. */
export async function listSilences(tx: Tx, scope: Scope, { start, end }: Range): Promise<SilentDevice[]> {
  const { rows } = await sql<SilentDevice>`
    select left(d.name, 300) as name, d.device_type as type, s.since, s.ended_at as "endedAt"
    from device_silences s join devices d on d.id = s.device_id
    where ${within('s.organisation_id', scope)} and ${within('d.organisation_id', scope)} and d.merged_into is null and s.told_at is not null
      and s.since < ${new Date(end)} and (s.ended_at is null or s.ended_at >= ${new Date(start)})
    order by s.ended_at is not null, s.since, d.name limit ${maxSilences}`.execute(tx);
  return rows;
}
