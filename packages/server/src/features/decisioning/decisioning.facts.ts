/** Input facts of the model, read for many cases of one organisation at once. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import { accountOf } from '../../domain/accounts.ts';
import { citedField, valuesAt } from '../../domain/field-places.ts';
import { citationOf } from './decisioning.citations.ts';
import { readDeployments } from './decisioning.deployments.ts';
import { type LookUp, readIndicators } from './decisioning.indicators.ts';
import { listIsolated, listOwnAlerts } from './decisioning.ownActions.ts';
import { readPersons } from './decisioning.persons.ts';
import { type Habit, type RuleRow, readCounted, readHabits, readRules } from './decisioning.rules.ts';
import { readSessions, type Session } from './decisioning.sessions.ts';
import { type Detail, detailFields } from './decisioning.signals.ts';
import { type CaseRecord, isSilent } from './decisioning.store.ts';
import type { CaseFacts, Citation, RuleFact } from './decisioning.types.ts';

export type { LookUp };

const historyMs = 30 * dayMs;

export async function readFacts(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  lookUp: LookUp,
  now: number,
): Promise<Map<number, CaseFacts>> {
  const ids = integerColumn(cases.map((each) => each.id));
  const rows = await readRules(tx, organisationId, ids, await listOwnAlerts(tx, organisationId, ids));
  const counted = await readCounted(tx, organisationId, rows);
  const habits = await readHabits(tx, organisationId, cases, rows);
  const sessions = await readSessions(tx, organisationId, rows);
  const persons = await readPersons(tx, organisationId, rows);
  const deployments = await readDeployments(tx, organisationId, rows);
  const indicators = await readIndicators(tx, organisationId, ids, rows, lookUp);
  const hours = await readHours(tx, organisationId, now);
  const silent = await readSilent(tx, organisationId, cases, now);
  const byCase = Map.groupBy(rows, ({ caseId }) => caseId);

  return new Map(
    cases.map((record) => {
      const own = byCase.get(record.id) ?? [];
      const first = own.reduce<RuleRow | undefined>((least, row) => (least && least.at <= row.at ? least : row), undefined);
      const utcHour = record.first_alert_at.getUTCHours();
      return [
        record.id,
        {
          rules: own.map((row) =>
            factOf(row, {
              documents: counted.get(keyOf(row)) ?? [],
              habit: habits.get(keyOf(row)),
              session: sessions.get(keyOf(row)),
              person: persons.get(keyOf(row)),
              deployed: deployments.get(keyOf(row)),
            }),
          ),
          indicators: indicators.get(record.id) ?? [],
          hour: {
            utcHour,
            share: hours.total === 0 ? 0 : (hours.counts[utcHour] ?? 0) / hours.total,
            alerts: hours.total,
            citation: first && timeIn(first, utcHour),
          },
          // Closed cases need no verdict.
          silent: record.closed_at === null ? record.device_names.flatMap((name) => silent.get(name.toLowerCase()) ?? []) : [],
        } satisfies CaseFacts,
      ];
    }),
  );
}

const keyOf = ({ caseId, ruleId }: RuleRow): string => `${caseId} ${ruleId}`;
const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((each): each is string => typeof each === 'string') : [];
const distinct = (values: readonly string[]): string[] => [...new Set(values)].sort();
const maxCounted = 10;

interface Found {
  /** Events that a correlation counted. */
  documents: readonly unknown[];
  habit: Habit | undefined;
  session: Session | undefined;
  person: RuleFact['person'];
  deployed: Citation | undefined;
}

function factOf(row: RuleRow, { documents, habit, session, person, deployed }: Found): RuleFact {
  const { facts, document } = row;
  const counted = countedIn(row, documents);
  const cited = counted[0] ?? groupIn(row) ?? withAlert(row, citationOf(document, row.why));
  return {
    ruleId: row.ruleId,
    title: row.title,
    criticality: row.criticality,
    confidence: facts.confidence === 'low' || facts.confidence === 'high' ? facts.confidence : 'medium',
    category: row.category,
    techniques: textsOf(facts.techniques),
    tactics: textsOf(facts.tactics),
    isOrdered: typeof facts.condition === 'string' && facts.condition.startsWith('temporal_ordered'),
    event: row.eventId ?? '',
    at: row.at.getTime(),
    lastAt: row.lastAt.getTime(),
    alerts: row.alerts,
    citation: cited,
    counted,
    details: [...detailsIn(document), ...detailsIn(row.lastDocument).map((each) => ({ ...each, alertID: row.lastAlertId! }))],
    device: row.deviceName ?? '',
    devices: distinct(textsOf(row.devices).map(shortName)),
    users: distinct(textsOf(row.users).flatMap((name) => accountOf(name) ?? [])),
    addresses: distinct([document, ...documents].flatMap((each) => valuesAt(each, 'source.ip').slice(0, 1))),
    outcomes: { malicious: Math.max(0, row.malicious), benign: Math.max(0, row.benign) },
    firedBefore: habit?.days ?? 0,
    clearedBefore: habit?.days ? habit.cleared : 0,
    on: habit && habit.days > 0 ? partyIn(row) : undefined,
    otherDevices: habit?.others ?? 0,
    session,
    person,
    deployed,
    firedAtClient: habit?.total ?? 0,
  };
}

const detailsIn = (document: unknown): Detail[] =>
  (Object.entries(detailFields) as [Detail['name'], string][]).flatMap(([name, field]): Detail[] => {
    const cited = citedField(document, name) ?? citedField(document, field);
    return cited ? [{ name, ...cited }] : [];
  });

const withAlert = (row: RuleRow, found: { field: string; value: string } | undefined): Citation | undefined =>
  found && { alertID: row.alertId, ...found };

/** Distinct values that a correlation counted, as its copied events have them. */
function countedIn(row: RuleRow, documents: readonly unknown[]): Citation[] {
  const found = new Map<string, Citation>();
  for (const field of textsOf(row.facts.countedFields).slice(0, 3))
    for (const document of documents) {
      const cited = withAlert(row, citedField(document, field));
      if (cited && found.size < maxCounted) found.set(`${cited.field} ${cited.value.toLowerCase()}`, cited);
    }
  return [...found.values()];
}

/** Value that joins the events of a correlation, unless it is their device, which explains nothing. */
function groupIn(row: RuleRow): Citation | undefined {
  const fields = textsOf(row.facts.groupFields);
  const cited = fields.flatMap((field) => citedField(row.document, field) ?? []);
  return withAlert(
    row,
    cited.find(({ field }) => !/^(?:host|winlog\.computer_name)/.test(field)),
  );
}

/** Host without its domain; addresses stay whole. */
const shortName = (name: string): string => (/^[\d.]+$|:/.test(name) ? name : name.replace(/\..*$/, ''));

const deviceFields = ['host.name', 'host.hostname', 'winlog.computer_name', 'observer.name', 'agent.hostname'];
const userFields = ['user.name', 'user.email', 'user.target.name', 'UserId', 'userPrincipalName'];

/** Device of a rule's first alert in its event, or its user. */
function partyIn(row: RuleRow): Citation | undefined {
  for (const [fields, name] of [
    [deviceFields, row.deviceName],
    [userFields, row.userName],
  ] as const) {
    const wanted = name?.toLowerCase();
    if (wanted === undefined) continue;
    for (const field of fields)
      for (const value of valuesAt(row.document, field))
        if (wanted === value.toLowerCase() || wanted.endsWith(`\\${value.toLowerCase()}`))
          return { alertID: row.alertId, field, value };
  }
  return undefined;
}

/** Time of the first event, if it is in the hour in which the case began. */
function timeIn(row: RuleRow, utcHour: number): Citation | undefined {
  const [value] = valuesAt(row.document, '@timestamp');
  if (value === undefined || new Date(value).getUTCHours() !== utcHour) return undefined;
  return { alertID: row.alertId, field: '@timestamp', value };
}

/** Alerts of the last 30 days by hour of day, UTC. */
async function readHours(tx: Tx, organisationId: number, now: number): Promise<{ counts: number[]; total: number }> {
  const { rows } = await sql<{ hour: number; count: number }>`
    select extract(hour from hour at time zone 'UTC')::integer as hour, sum(count)::integer as count from rollup_hour_severity
    where organisation_id = ${organisationId} and hour >= ${new Date(now - historyMs)} and hour < ${new Date(now)} group by 1`.execute(
    tx,
  );
  const counts = Array.from({ length: 24 }, () => 0);
  for (const row of rows) counts[row.hour] = row.count;
  return { counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

/** Silent devices of open cases, by name in lower case. */
async function readSilent(
  tx: Tx,
  organisationId: number,
  cases: readonly CaseRecord[],
  now: number,
): Promise<Map<string, { device: string; lastEventAt: string }[]>> {
  const names = [
    ...new Set(
      cases.filter((each) => each.closed_at === null).flatMap((each) => each.device_names.map((name) => name.toLowerCase())),
    ),
  ];
  if (names.length === 0) return new Map();
  const isolated = await listIsolated(tx, organisationId);
  const { rows } = await sql<{ name: string; lastAt: Date }>`
    select d.name, d.last_event_at as "lastAt" from devices d
    where d.organisation_id = ${organisationId} and d.name_key = any (${textColumn(names)}) and ${isSilent(now)}`.execute(tx);
  const found = rows.filter(({ name }) => !isolated.has(name.toLowerCase()));
  return new Map(
    found.map(({ name, lastAt }) => [
      name.toLowerCase(),
      [{ device: name, lastEventAt: `${lastAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` }],
    ]),
  );
}
