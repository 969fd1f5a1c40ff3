/**
 * Rules over several events. Each match of a base rule is a hit, stored with the events; the pure engine judges the hits of a group within the
 * window around the new ones. Called under the organisation's lock.
 */
import { type CorrelationHit, evaluateCorrelation, groupKeyOf, valueOf } from '@parapet/sigma/correlate.ts';
import type { Correlation } from '@parapet/sigma/rules.ts';
import { sql } from 'kysely';
import { integerColumn, plainColumn, textColumn, timeColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Detector } from './detector.ts';
import type { Document, Event } from './event.ts';
import type { Candidate, Evidence } from './fold.ts';
import { foldKey } from './raise.ts';

/** A group with more hits than this in its window is judged by its newest. */
const maxHitsAGroup = 2_000;
/** Evidence of a firing that is read back for the alert's copies. */
const maxEvidence = 20;

interface Hit {
  correlation: Correlation;
  ruleId: number;
  groupKey: string;
  baseKey: string;
  value: string | undefined;
  event: Event;
}

interface StoredHit {
  rule_id: number;
  group_key: string;
  at: Date;
  event_id: string;
  base_key: string;
  value: string | null;
  device_name: string | null;
  user_name: string | null;
}

/** Candidates of all correlations that the new events complete. */
export async function correlate(
  tx: Tx,
  detector: Detector,
  organisationId: number,
  events: readonly Event[],
): Promise<Candidate[]> {
  const hits = hitsOf(detector, events);
  if (hits.length === 0) return [];
  await insertHits(tx, organisationId, hits);

  const groups = new Map<string, Hit[]>();
  for (const hit of hits) {
    const key = `${hit.ruleId} ${hit.groupKey}`;
    const group = groups.get(key);
    if (group) group.push(hit);
    else groups.set(key, [hit]);
  }
  const stored = await readWindows(tx, organisationId, [...groups.values()]);
  const candidates: Candidate[] = [];
  for (const [key, fresh] of groups) {
    candidates.push(...(await judge(tx, detector, organisationId, fresh, stored.get(key) ?? [])));
  }
  return candidates;
}

function hitsOf(detector: Detector, events: readonly Event[]): Hit[] {
  const hits: Hit[] = [];
  for (const event of events) {
    for (const rule of event.matches) {
      for (const correlation of detector.correlationsOf(rule)) {
        const groupKey = groupKeyOf(correlation, rule, event.document);
        if (groupKey === undefined) continue;
        hits.push({
          correlation,
          ruleId: detector.known(correlation.id).id,
          groupKey: groupKey.slice(0, 1000),
          baseKey: rule.id,
          value: valueOf(correlation, rule, event.document)?.slice(0, 1000),
          event,
        });
      }
    }
  }
  return hits;
}

async function insertHits(tx: Tx, organisationId: number, hits: readonly Hit[]): Promise<void> {
  await sql`
    insert into correlation_hits (organisation_id, rule_id, group_key, at, event_id, base_key, value, device_name, user_name)
    select ${organisationId}, * from unnest(
      ${integerColumn(hits.map((hit) => hit.ruleId))},
      ${textColumn(hits.map((hit) => hit.groupKey))},
      ${timeColumn(hits.map((hit) => hit.event.at))},
      ${plainColumn(
        hits.map((hit) => hit.event.id),
        'uuid',
      )},
      ${textColumn(hits.map((hit) => hit.baseKey))},
      ${textColumn(hits.map((hit) => hit.value))},
      ${textColumn(hits.map((hit) => hit.event.deviceName))},
      ${textColumn(hits.map((hit) => hit.event.userName))})
    on conflict do nothing`.execute(tx);
}

/** The stored hits of each group, within its rule's window around the new ones, oldest first. */
async function readWindows(tx: Tx, organisationId: number, groups: readonly Hit[][]): Promise<Map<string, StoredHit[]>> {
  const bounds = groups.map((group) => {
    const [{ correlation, ruleId, groupKey }] = group as [Hit];
    const times = group.map((hit) => hit.event.at);
    return {
      ruleId,
      groupKey,
      from: Math.min(...times) - correlation.timespanMs,
      to: Math.max(...times) + correlation.timespanMs,
    };
  });
  const { rows } = await sql<StoredHit>`
    select h.* from unnest(${integerColumn(bounds.map((b) => b.ruleId))}, ${textColumn(bounds.map((b) => b.groupKey))},
      ${timeColumn(bounds.map((b) => b.from))}, ${timeColumn(bounds.map((b) => b.to))}) as b (rule_id, group_key, first, last)
    cross join lateral (
      select rule_id, group_key, at, event_id, base_key, value, device_name, user_name from correlation_hits h
      where h.organisation_id = ${organisationId} and h.rule_id = b.rule_id and h.group_key = b.group_key and h.at between b.first and b.last
      order by h.at desc limit ${maxHitsAGroup}
    ) h order by h.at`.execute(tx);
  const stored = new Map<string, StoredHit[]>();
  for (const row of rows) {
    const key = `${row.rule_id} ${row.group_key}`;
    const list = stored.get(key);
    if (list) list.push(row);
    else stored.set(key, [row]);
  }
  return stored;
}

async function judge(
  tx: Tx,
  detector: Detector,
  organisationId: number,
  fresh: readonly Hit[],
  stored: readonly StoredHit[],
): Promise<Candidate[]> {
  const [{ correlation, groupKey }] = fresh as [Hit];
  const known = detector.known(correlation.id);
  const refOf = (eventId: string, baseKey: string) => `${eventId} ${baseKey}`;
  const byRef = new Map(stored.map((row) => [refOf(row.event_id, row.base_key), row]));
  const freshByRef = new Map(fresh.map((hit) => [refOf(hit.event.id, hit.baseKey), hit]));
  const input: CorrelationHit[] = stored.map((row) => ({
    ruleId: row.base_key,
    at: row.at.getTime(),
    groupKey: row.group_key,
    ref: refOf(row.event_id, row.base_key),
    ...(row.value !== null && { value: row.value }),
  }));
  // Only what the new events complete: firings of old hits were raised when those came.
  const firings = evaluateCorrelation(correlation, input).filter((firing) => firing.hits.some((hit) => freshByRef.has(hit.ref)));
  const candidates: Candidate[] = [];
  const [first] = firings;
  if (!first) return [];
  // One candidate with the whole evidence of what is new, and one repeat for each further firing; they fold into one alert.
  for (const [index, firing] of firings.entries()) {
    const rows = firing.hits.flatMap((hit) => byRef.get(hit.ref) ?? []);
    const at = firing.at;
    const evidence = index === 0 ? await evidenceOf(tx, detector, organisationId, rows.slice(-maxEvidence), freshByRef) : [];
    const deviceName = commonOf(rows.map((row) => row.device_name));
    const userName = commonOf(rows.map((row) => row.user_name));
    candidates.push({
      key: foldKey(known, 'group', groupKey),
      rule: known,
      at,
      clockSkew: 0,
      deviceName,
      userName,
      summary: `${known.title}: ${rows.length} events${describeGroup(correlation, groupKey)}`,
      evidence,
    });
  }
  return candidates;
}

/** The value that all share, or none. */
function commonOf(values: readonly (string | null)[]): string | undefined {
  const [first] = values;
  return first != null && values.every((value) => value === first) ? first : undefined;
}

function describeGroup(correlation: Correlation, groupKey: string): string {
  const fields = correlation.groupBy;
  if (fields.length === 0) return '';
  let values: unknown;
  try {
    values = JSON.parse(groupKey);
  } catch {
    return '';
  }
  if (!Array.isArray(values)) return '';
  return ` (${fields.map((field, index) => `${field} ${String(values[index])}`).join(', ')})`;
}

async function evidenceOf(
  tx: Tx,
  detector: Detector,
  organisationId: number,
  rows: readonly StoredHit[],
  fresh: ReadonlyMap<string, Hit>,
): Promise<Evidence[]> {
  const older = rows.filter((row) => !fresh.has(`${row.event_id} ${row.base_key}`));
  const documents = new Map<string, { text: string; document: Document }>();
  if (older.length > 0) {
    const times = older.map((row) => row.at.getTime());
    const found = await tx
      .selectFrom('events')
      .select(['id', 'text', 'document'])
      .where('organisation_id', '=', organisationId)
      .where('at', '>=', new Date(Math.min(...times)))
      .where('at', '<=', new Date(Math.max(...times)))
      .where('id', 'in', [...new Set(older.map((row) => row.event_id))])
      .execute();
    for (const row of found) documents.set(row.id, row);
  }
  return rows.flatMap((row): Evidence[] => {
    const hit = fresh.get(`${row.event_id} ${row.base_key}`);
    const stored = hit ? { text: hit.event.text, document: hit.event.document } : documents.get(row.event_id);
    if (!stored) return [];
    return [
      {
        eventId: row.event_id,
        at: row.at.getTime(),
        text: stored.text,
        document: stored.document,
        rule: detector.ruleOf(row.base_key),
      },
    ];
  });
}
