/** SQL of case rows in the contract's shape. */
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownUsers } from '../../domain/identities.ts';
import { shownName } from '../../domain/visibility.ts';
import { nextSlaTimer } from './cases.clocks.ts';
import type { CaseRecord } from './cases.ports.ts';

/** Truncates to the contract's bound for texts in lists. */
export const line = (text: string): string => text.slice(0, 2000);
export const paragraph = (text: string): string => text.slice(0, 20_000);
const names = (texts: readonly string[], limit: number): string[] => texts.slice(0, limit).map(line);
export const twoDecimals = (value: number): number => Math.round(value * 100) / 100;

type Column = (typeof columnNames)[number];
/** Columns of list rows. */
const columnNames = [
  'id',
  'organisation_id',
  'version',
  'created_at',
  'title',
  'status',
  'investigation_status',
  'criticality',
  'score',
  'percentage',
  'alert_count',
  'new_count',
  'last_alert_at',
  'tactics',
  'device_names',
  'analyst_user_id',
  'is_excluded',
  'acknowledged_at',
  'contained_at',
  'contained_waited_ms',
  'closed_at',
  'resolution',
  'client_answer',
  'client_answered_at',
  'client_answer_seen_at',
  'waiting_since',
  'wait_expires_at',
  'waited_ms',
  'verdict',
  'confidence',
] as const satisfies (keyof CaseRecord)[];

export type StoredCase = Pick<CaseRecord, Column | 'user_names'> & {
  analyst_name: string;
  organisation_name: string;
  subscription_level_id: number;
};

/** Selects from cases `c` and organisations `o`. */
export const columnsFor = (scope: Scope): RawBuilder<unknown> => sql`${sql.join(columnNames.map((name) => sql.ref(`c.${name}`)))},
  ${shownUsers(sql`c`, sql`c.user_names`)} as user_names,
  ${shownName(scope, 'c.analyst_user_id', 'c.analyst_name')} as analyst_name, o.name as organisation_name, o.subscription_level_id`;

export function toCaseRow(row: StoredCase, now: number): CaseRow {
  return {
    id: row.id,
    incidentID: row.id,
    title: line(row.title),
    status: row.status,
    investigationStatus: row.investigation_status,
    clientOrganizationID: row.organisation_id,
    clientOrganizationName: row.organisation_name,
    casePercentage: twoDecimals(Math.min(100, row.percentage)),
    criticality: severityOf(row.criticality),
    criticalityNumber: row.criticality,
    riskScore: twoDecimals(row.score),
    alertCount: row.alert_count,
    newAlerts: Math.max(0, row.new_count),
    analyst: row.analyst_user_id === null ? null : line(row.analyst_name),
    analystUserAccountID: row.analyst_user_id,
    deviceNames: names(row.device_names, 20),
    userNames: names(row.user_names, 20),
    tactics: names(row.tactics, 14),
    verdict: row.verdict,
    confidenceScore: row.confidence,
    resolution: row.resolution,
    clientAnswer: answerOf(row),
    isExcluded: row.is_excluded,
    version: row.version,
    createdTime: row.created_at.toISOString(),
    lastAlertTime: row.last_alert_at.toISOString(),
    closedTime: row.closed_at?.toISOString() ?? null,
    clock: nextSlaTimer(row, row.subscription_level_id, now),
  };
}

/** Newest answer of the client; null without one. */
export const answerOf = ({
  client_answer: answer,
  client_answered_at: at,
  client_answer_seen_at: seenAt,
}: Pick<CaseRecord, 'client_answer' | 'client_answered_at' | 'client_answer_seen_at'>): CaseRow['clientAnswer'] =>
  answer === null || at === null ? null : { answer, time: at.toISOString(), isSeen: seenAt !== null };

export async function findCaseRow(tx: Tx, scope: Scope, id: number, now: number): Promise<CaseRow | undefined> {
  const { rows } = await sql<StoredCase>`select ${columnsFor(scope)} from cases c join organisations o on o.id = c.organisation_id
    where c.id = ${id} and ${within('c.organisation_id', scope)}`.execute(tx);
  return rows[0] && toCaseRow(rows[0], now);
}

export async function getCaseRow(tx: Tx, scope: Scope, id: number, now: number): Promise<CaseRow> {
  const row = await findCaseRow(tx, scope, id, now);
  if (!row) throw problem.notFound('case', id);
  return row;
}
