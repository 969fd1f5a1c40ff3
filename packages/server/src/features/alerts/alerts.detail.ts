/** Details of one alert. */
import type { AlertDetail, AlertEvent } from '@parapet/contract/alerts.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { MatchExplanation, RuleFacts } from '../../core/db/tables.detection.ts';
import { within } from '../../core/db/within.ts';
import { readAlertEvents } from '../../domain/alertEvents.ts';
import { controlsOf, techniquesOf } from '../../domain/facts.ts';
import { findNamedUser, isOfUser } from '../../domain/identities.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import { readRows, type StoredRow, toAlertRows } from './alerts.rows.ts';

const maxEvents = 100;
const maxWhy = 500;
const maxRelated = 10;
const maxAlsoMatched = 20;
const relatedMs = 30 * dayMs;

/** Truncates to the contract’s line length. */
const line = (text: string): string => text.slice(0, 2000);
const paragraph = (text: string): string => text.slice(0, 20_000);
const lines = (texts: readonly unknown[] | undefined, limit: number): string[] =>
  (texts ?? [])
    .filter((text) => typeof text === 'string')
    .slice(0, limit)
    .map(line);

interface StoredAlert {
  id: number;
  at: Date;
  organisationId: number;
  deviceName: string | null;
  userName: string | null;
  raisedAt: Date;
  clockSkew: number;
  alsoRuleIds: number[];
  facts: RuleFacts | null;
  caseId: number | null;
  suppressedBy: number | null;
}

/** Undefined when the scope has no such alert. */
export async function findAlert(tx: Tx, scope: Scope, catalogue: Catalogue, id: number): Promise<AlertDetail | undefined> {
  const { rows } = await sql<StoredAlert>`
    select a.id, a.at, a.organisation_id as "organisationId", a.device_name as "deviceName", a.user_name as "userName", a.raised_at as "raisedAt",
      a.clock_skew as "clockSkew", a.also_rule_ids as "alsoRuleIds", (select facts from rules where id = a.rule_id) as facts,
      (select case_id from case_alerts c where c.alert_id = a.id and c.alert_at = a.at) as "caseId",
      (select suppression_id from suppressed_alerts s where s.alert_id = a.id and s.alert_at = a.at) as "suppressedBy"
    from alerts a where a.id = ${id} and ${within('a.organisation_id', scope)}`.execute(tx);
  const [alert] = rows;
  if (!alert) return undefined;

  const own = { organisationIds: [alert.organisationId] };
  const copies = await listCopies(tx, own, alert);
  const show = (rows: readonly StoredRow[]) => toAlertRows(tx, catalogue, rows);
  const [row] = await show(await readRows(tx, own, sql`select * from alerts a where a.id = ${id} and a.at = ${alert.at}`));
  if (!row) return undefined;
  const device =
    alert.deviceName === null ? [] : await show(await listRelated(tx, own, alert, sql`a.device_name = ${alert.deviceName}`));
  const named = alert.userName === null ? undefined : await findNamedUser(tx, own, alert.userName);
  const user = named ? await show(await listRelated(tx, own, alert, isOfUser('a', named))) : [];

  const { facts } = alert;
  return {
    ...row,
    description: paragraph(facts?.description ?? ''),
    falsePositives: lines(facts?.falsePositives, 50),
    guidance: facts?.guidance ?? null,
    references: lines(facts?.references, 100),
    logSource: line(facts?.logSource ?? ''),
    condition: paragraph(facts?.condition ?? copies.map((copy) => copy.why.condition).find(Boolean) ?? ''),
    why: mergeExplanations(copies.map((copy) => copy.why)),
    events: copies.map(({ event }) => event),
    eventsTotal: Math.max(row.count, copies.length),
    techniques: techniquesOf(facts?.techniques ?? []).slice(0, 50),
    controls: controlsOf(facts?.techniques ?? []).slice(0, 300),
    alsoMatched: await listAlsoMatched(tx, alert.alsoRuleIds),
    clockSkew: alert.clockSkew > 0 ? 'future' : alert.clockSkew < 0 ? 'past' : 'none',
    raisedAt: alert.raisedAt.toISOString(),
    caseID: alert.caseId,
    suppressedBy: alert.suppressedBy,
    related: { device, user },
  };
}

async function listAlsoMatched(tx: Tx, ruleIds: readonly number[]): Promise<AlertDetail['alsoMatched']> {
  if (ruleIds.length === 0) return [];
  const rows = await tx
    .selectFrom('rules')
    .select(['key', 'title', 'criticality'])
    .where('id', 'in', [...ruleIds])
    .orderBy('criticality', 'desc')
    .orderBy('title')
    .limit(maxAlsoMatched)
    .execute();
  return rows.map(({ key, title, criticality }) => ({ ruleID: key, rule: line(title), criticality: severityOf(criticality) }));
}

async function listCopies(tx: Tx, scope: Scope, alert: StoredAlert): Promise<{ event: AlertEvent; why: MatchExplanation }[]> {
  const events = (await readAlertEvents(tx, scope, [alert], { most: maxEvents })).get(alert.id) ?? [];
  return events.map(({ eventId, at, text, document, why }) => ({
    event: { id: eventId, at: new Date(at).toISOString(), text: line(text), document },
    why,
  }));
}

/** Merges the match explanations of all events without repeats, in the order of the events. */
function mergeExplanations(explanations: readonly MatchExplanation[]): AlertDetail['why'] {
  const merged = new Map<string, AlertDetail['why'][number]>();
  for (const { items } of explanations) {
    for (const { selection, field, modifier, pattern, value } of items) {
      const item = {
        selection: line(selection),
        field: field === null ? null : line(field),
        modifier: line(modifier),
        pattern: line(pattern),
        value: line(value),
      };
      merged.set(JSON.stringify(item), item);
    }
  }
  return [...merged.values()].slice(0, maxWhy);
}

/**
 * The newest other alerts that share something, within a month before and after: at most three partitions, however old the
 * alert.
 */
function listRelated(tx: Tx, scope: Scope, alert: StoredAlert, shared: RawBuilder<unknown>): Promise<StoredRow[]> {
  const at = alert.at.getTime();
  return readRows(
    tx,
    scope,
    sql`select a.* from alerts a where ${within('a.organisation_id', scope)} and ${shared} and a.at >= ${new Date(at - relatedMs)}
      and a.at < ${new Date(at + relatedMs)} and a.id <> ${alert.id} order by a.at desc, a.id desc limit ${maxRelated}`,
  );
}
