/** Daily snapshots of the risk score; without a time in the question, the newest of each client. */
import { defaultIndustryAverage } from '@parapet/contract/rules/risk.ts';
import { type RawBuilder, sql } from 'kysely';
import { inScope, organisationAttributes } from '../attributes.ts';
import type { Attribute, EntitySchema } from '../schema.ts';
import { clientKey, of } from './columns.ts';

type Row = RawBuilder<unknown>;

const points = (name: string, title: string, words: readonly string[]): Attribute => ({
  type: 'number',
  unit: 'points',
  title,
  words,
  sql: of(name),
});
const counted = (name: string, title: string, words: readonly string[]): Attribute => ({
  type: 'number',
  title,
  words,
  sql: of(name),
});
const industry = (row: Row) => sql`(select trim(o.industry) from organisations o where o.id = ${row}.organisation_id)`;

export const riskSchema: EntitySchema = {
  entity: 'risk',
  title: ['risk score', 'risk scores'],
  words: [
    'risk score',
    'risk',
    'risk rating',
    'risk level',
    'score',
    'cyber risk',
    'risky',
    'security score',
    'cyber risk score',
    'risk figure',
    'risk number',
    'risk posture',
    'security posture',
    'posture',
    'risk points of a client',
  ],
  allow: 'dashboard:read',
  named: 'client',
  initial: { where: { field: 'isCurrent', is: true }, isUntimed: true },
  from: (row) => sql`risk_snapshots ${row}`,
  within: (row, context) => sql<boolean>`${inScope(row, context)}
    and exists (select from organisations o where o.id = ${row}.organisation_id and o.deactivated_at is null)`,
  id: (row) => sql`(${row}.organisation_id || '/' || ${row}.day)`,
  time: 'date',
  attributes: {
    ...organisationAttributes(),
    riskScore: {
      type: 'number',
      unit: 'points',
      title: 'risk score',
      words: ['score', 'risk score', 'risk', 'total', 'point', 'value'],
      superlatives: {
        most: ['worst', 'highest', 'riskiest', 'most at risk', 'most risky', 'most exposed'],
        least: ['best', 'lowest', 'safest', 'least risky'],
      },
      isShown: true,
      sql: of('risk_score'),
    },
    deviceScore: points('device_score', 'device component', ['device score', 'device component', 'device part', 'device risk']),
    practiceScore: points('practice_score', 'practice component', [
      'practice score',
      'practice component',
      'practice part',
      'best practice',
    ]),
    caseScore: points('case_score', 'case component', ['case score', 'case component', 'case part', 'case risk']),
    change: {
      type: 'number',
      unit: 'points',
      title: 'change in 7 days',
      words: ['change', 'change in 7 days', 'movement', 'move', 'moved', 'trend', 'weekly change', 'difference to last week'],
      superlatives: { most: ['rising most', 'worsened most', 'risen most'], least: ['improved most', 'fallen most'] },
      sql: (row) => sql`${row}.risk_score - (select p.risk_score from risk_snapshots p
        where p.organisation_id = ${row}.organisation_id and p.day <= ${row}.day - 7 order by p.day desc limit 1)`,
    },
    isCurrent: {
      type: 'flag',
      title: 'newest',
      words: ['current score'],
      yes: ['current', 'now', 'right now', 'newest', 'latest', 'at the moment', 'currently'],
      sql: (row) =>
        sql`not exists (select from risk_snapshots n where n.organisation_id = ${row}.organisation_id and n.day > ${row}.day)`,
    },
    industry: { type: 'text', title: 'industry', words: ['industry', 'sector', 'branch', 'line of business'], sql: industry },
    industryAverage: {
      type: 'number',
      unit: 'points',
      title: 'industry average',
      words: [
        'industry average',
        'industry avg',
        'average of the industry',
        'sector average',
        'industry mean',
        'peer',
        'peer average',
        'benchmark',
        'everyone else',
      ],
      sql: (row, { industryAverages }) =>
        industryAverages
          ? sql`coalesce((${JSON.stringify(industryAverages)}::jsonb ->> lower(${industry(row)}))::integer, ${defaultIndustryAverage}::integer)`
          : sql`null::integer`,
    },
    date: {
      type: 'time',
      title: 'day',
      words: ['day', 'date', 'snapshot day'],
      verbs: ['measured', 'taken', 'computed'],
      superlatives: { latest: ['most recent'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: (row) => sql`(${row}.day::timestamp at time zone 'UTC')`,
    },
    changedAt: {
      type: 'time',
      title: 'last change of totals or practices',
      words: ['last change of the inputs', 'inputs changed'],
      verbs: ['inputs changed', 'totals changed', 'practices changed'],
      sql: (row) => sql`greatest((select d.changed_at from risk_devices d where d.organisation_id = ${row}.organisation_id),
        (select max(p.changed_at) from risk_practices p where p.organisation_id = ${row}.organisation_id))`,
    },
    practicesDone: counted('checked', 'implemented best practices', [
      'implemented practice',
      'practice in place',
      'checked practice',
    ]),
    totalServers: counted('total_servers', 'servers', ['server', 'total server', 'number of servers']),
    totalWorkstations: counted('total_workstations', 'workstations', [
      'workstation',
      'total workstation',
      'number of workstations',
    ]),
    monitoredServers: counted('monitored_servers', 'monitored servers', ['monitored server']),
    monitoredWorkstations: counted('monitored_workstations', 'monitored workstations', ['monitored workstation']),
  },
  keys: { client: clientKey },
  list: { page: 'risk-score', path: ({ organisationId }) => `/apps/risk-score?client=${organisationId}` },
  order: { field: 'riskScore', isAscending: false },
};
