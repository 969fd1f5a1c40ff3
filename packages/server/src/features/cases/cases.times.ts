/** Mean times to acknowledge, contain and resolve, and the cases under investigation: figures over many cases. */
import type { casesApi } from '@parapet/contract/cases.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { investigationStatusName } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { isBreached, isContained, isWithinTargets, targetIn, toAcknowledge, toClose, toContain } from '../../domain/caseTimes.ts';
import type { Range } from '../../domain/ranges.ts';
import { line, twoDecimals } from './cases.rows.ts';

const maxRows = 1_000;

const rounded = (minutes: number | null): number | null => (minutes === null ? null : twoDecimals(minutes));

/** By client, the one with the most cases first. */
export async function listTimes(tx: Tx, scope: Scope, range: Range, now: Date): Promise<AnswerOf<typeof casesApi.times>> {
  const { rows } = await sql<{
    id: number;
    name: string;
    cases: number;
    acknowledge: number | null;
    contain: number | null;
    resolve: number | null;
    within: number | null;
    breached: number;
    total: number;
  }>`select o.id, o.name, count(*) as cases,
      avg(${toAcknowledge}) filter (where c.acknowledged_at is not null) as acknowledge,
      avg(${toContain}) filter (where ${isContained}) as contain,
      avg(${toClose}) filter (where c.closed_at is not null) as resolve,
      avg(${isWithinTargets}::integer) filter (where c.closed_at is not null)::float8 as within,
      count(*) filter (where ${isBreached(now)}) as breached, count(*) over () as total
    from cases c join organisations o on o.id = c.organisation_id
    where ${within('c.organisation_id', scope)} and c.created_at >= ${new Date(range.start)} and c.created_at < ${new Date(range.end)}
    group by o.id order by cases desc, o.id limit ${maxRows}`.execute(tx);
  return {
    results: rows.map((row) => ({
      clientOrganizationID: row.id,
      clientOrganizationName: row.name,
      cases: row.cases,
      meanMinutesToAcknowledge: rounded(row.acknowledge),
      meanMinutesToContain: rounded(row.contain),
      meanMinutesToResolve: rounded(row.resolve),
      withinTarget: row.within,
      breached: row.breached,
    })),
    total: rows[0]?.total ?? 0,
  };
}

/** Mean minutes and the targets that those cases had, the most critical first. */
export async function listTimesByCriticality(tx: Tx, scope: Scope, range: Range) {
  const { rows } = await sql<{
    criticality: number;
    cases: number;
    acknowledge: number | null;
    contain: number | null;
    resolve: number | null;
    to_acknowledge: number;
    to_contain: number;
    to_resolve: number;
    within: number | null;
  }>`select c.criticality, count(*)::integer as cases,
      avg(${toAcknowledge}) filter (where c.acknowledged_at is not null) as acknowledge,
      avg(${toContain}) filter (where ${isContained}) as contain,
      avg(${toClose}) filter (where c.closed_at is not null) as resolve,
      avg(${targetIn('acknowledge')})::float8 as to_acknowledge, avg(${targetIn('contain')})::float8 as to_contain, avg(${targetIn('close')})::float8 as to_resolve,
      avg(${isWithinTargets}::integer) filter (where c.closed_at is not null)::float8 as within
    from cases c join organisations o on o.id = c.organisation_id
    where ${within('c.organisation_id', scope)} and c.created_at >= ${new Date(range.start)} and c.created_at < ${new Date(range.end)}
    group by 1 order by 1 desc`.execute(tx);
  return rows.map((row) => ({
    criticality: row.criticality,
    cases: row.cases,
    meanMinutesToAcknowledge: rounded(row.acknowledge),
    meanMinutesToContain: rounded(row.contain),
    meanMinutesToResolve: rounded(row.resolve),
    targetToAcknowledge: row.to_acknowledge,
    targetToContain: row.to_contain,
    targetToResolve: row.to_resolve,
    withinTarget: row.within,
  }));
}

/** Open cases, newest first. */
export async function listUnderInvestigation(tx: Tx, scope: Scope): Promise<AnswerOf<typeof casesApi.underInvestigation>> {
  const open = sql`from cases c where ${within('c.organisation_id', scope)} and c.closed_at is null`;
  const { rows } = await sql<{
    id: number;
    title: string;
    organisation_id: number;
    status: AnswerOf<typeof casesApi.underInvestigation>['results'][number]['status'];
    investigation_status: number;
    score: number;
    created_at: Date;
    total: number;
  }>`select c.id, c.title, c.organisation_id, c.status, c.investigation_status, c.score, c.created_at, (select count(*) ${open}) as total
    ${open} order by c.created_at desc, c.id desc limit ${maxRows}`.execute(tx);
  return {
    results: rows.map((row) => ({
      id: row.id,
      title: line(row.title),
      clientOrganizationID: row.organisation_id,
      status: row.status,
      investigationStatusID: row.investigation_status,
      investigationStatus: investigationStatusName(row.investigation_status),
      riskScore: twoDecimals(row.score),
      createdTime: row.created_at.toISOString(),
    })),
    total: rows[0]?.total ?? 0,
  };
}
