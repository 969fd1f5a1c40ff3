/**
 * Correlation rules over several events. Each match of a base rule, and each match of a correlation that another one reads,
 * is a hit of a group; the pure evaluation judges a group’s new hits together with those stored by earlier batches. Hits
 * that a match consumed are deleted, so a threshold is reached once regardless of how its events were spread over batches
 * and processes. Requires the organisation’s lock.
 */
import { hash } from 'node:crypto';
import { type CorrelationHit, countedValue, groupKeyOf } from '@parapet/sigma/correlate.ts';
import type { Correlation, SigmaRule } from '@parapet/sigma/rules.ts';
import { type RawBuilder, sql } from 'kysely';
import { integerColumn, textColumn, timeColumn, uuidColumn } from '../core/db/bulk.ts';
import type { Tx } from '../core/db/scope.ts';
import { eventStore } from '../domain/events/eventStore.ts';
import type { Document, Event } from './event.ts';
import { type Candidate, type Evidence, groupingKey, maxCopies } from './grouping.ts';
import type { KnownRule } from './rule-rows.ts';
import type { OrganisationRules } from './rule-view.ts';
import { evaluateWindows } from './windows.ts';

/** Groups with more hits in their window are judged by the newest ones. */
const maxHitsAGroup = 10_000;
/** Longer keys and values are stored as their hash to fit an index. */
const maxKeyLength = 300;

/** A match of a base rule within a group; `ref` is the event id. */
interface Hit extends CorrelationHit {
  deviceName: string | undefined;
  userName: string | undefined;
  /** Absent for hits of earlier batches. */
  event?: Event;
}

interface Group {
  correlation: Correlation;
  known: KnownRule;
  groupKey: string;
  fresh: Hit[];
  stored: Hit[];
}

interface CompletedCorrelation {
  group: Group;
  at: number;
  count: number;
  hits: readonly Hit[];
}

/** Returns candidates for all correlations that the new events complete. */
export async function correlate(
  tx: Tx,
  detector: OrganisationRules,
  organisationId: number,
  events: readonly Event[],
  now: number,
): Promise<Candidate[]> {
  const { groups, levels, addHit } = createGroups(detector);
  for (const event of events) for (const rule of event.matches) addHit(rule, event, event.at);

  const completed: CompletedCorrelation[] = [];
  const added: GroupHit[] = [];
  const consumed: GroupHit[] = [];
  for (let level = 0; level < levels.length; level++) {
    await readWindows(tx, organisationId, groups, levels[level] ?? []);
    for (const group of levels[level] ?? []) {
      const { firings, rest } = evaluateWindows(group.correlation, [...group.stored, ...group.fresh], now);
      const needed = new Set(rest);
      added.push(...group.fresh.filter((hit) => needed.has(hit)).map((hit) => ({ group, hit })));
      consumed.push(...group.stored.filter((hit) => !needed.has(hit)).map((hit) => ({ group, hit })));
      const newest = group.fresh.at(-1)!.event!;
      for (const { at, count, hits } of firings) {
        if (group.correlation.standalone) completed.push({ group, at, count, hits });
        // The newest event at hand supplies the group key of the next level.
        addHit(group.correlation, hits.findLast((hit) => hit.event)?.event ?? newest, at);
      }
    }
  }
  await deleteHits(tx, organisationId, consumed);
  await insertHits(tx, organisationId, added);
  return candidatesOf(tx, detector, organisationId, completed);
}

/** Collects new hits by correlation and group key. */
export function createGroups(detector: OrganisationRules) {
  const groups = new Map<string, Group>();
  /** Correlations of rules come first: their matches are hits of higher levels. */
  const levels: Group[][] = [];
  const addHit = (base: Pick<SigmaRule, 'id'>, event: Event, at: number) => {
    for (const correlation of detector.correlationsOf(base.id)) {
      const groupKey = groupKeyOf(correlation, base, event.document);
      if (groupKey === undefined) continue;
      const value = countedValue(correlation, base, event.document);
      if (correlation.type === 'value_count' && value === undefined) continue;
      const known = detector.known(correlation.id);
      const key = keyOf(known.id, boundedKey(groupKey));
      let group = groups.get(key);
      if (!group) {
        group = { correlation, known, groupKey: boundedKey(groupKey), fresh: [], stored: [] };
        groups.set(key, group);
        const level = detector.levelOf(correlation);
        levels[level] ??= [];
        levels[level].push(group);
      }
      group.fresh.push({
        ruleId: base.id,
        at,
        groupKey: group.groupKey,
        ...(value !== undefined && { value: boundedKey(value) }),
        ref: event.id,
        deviceName: event.deviceName,
        userName: event.userName,
        event,
      });
    }
  };
  return { groups, levels, addHit };
}

interface GroupHit {
  group: Group;
  hit: Hit;
}

const keyOf = (ruleId: number, groupKey: string): string => `${ruleId} ${groupKey}`;

function boundedKey(text: string): string {
  if (text.length <= maxKeyLength) return text;
  return `${text.slice(0, maxKeyLength / 2)} #${hash('sha256', text, 'hex')}`;
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

/** Condition on the group of a hit `h`: the index holds its hash. */
const groupIs = (group: string): RawBuilder<boolean> =>
  sql`hashtextextended(h.group_key, 0) = hashtextextended(${sql.ref(group)}, 0) and h.group_key = ${sql.ref(group)}`;

/** Loads each group’s stored hits within its rule’s window around the new ones. */
async function readWindows(
  tx: Tx,
  organisationId: number,
  byKey: ReadonlyMap<string, Group>,
  groups: readonly Group[],
): Promise<void> {
  if (groups.length === 0) return;
  const bounds = groups.map(({ correlation, known, groupKey, fresh }) => {
    let from = Infinity;
    let to = -Infinity;
    for (const { at } of fresh) {
      if (at < from) from = at;
      if (at > to) to = at;
    }
    return { ruleId: known.id, groupKey, from: from - correlation.timespanMs, to: to + correlation.timespanMs };
  });
  const { rows } = await sql<StoredHit>`
    select h.* from unnest(${integerColumn(bounds.map((b) => b.ruleId))}, ${textColumn(bounds.map((b) => b.groupKey))},
      ${timeColumn(bounds.map((b) => b.from))}, ${timeColumn(bounds.map((b) => b.to))}) as b (rule_id, group_key, first, last)
    cross join lateral (
      select rule_id, group_key, at, event_id, base_key, value, device_name, user_name from correlation_hits h
      where h.organisation_id = ${organisationId} and h.rule_id = b.rule_id and ${groupIs('b.group_key')} and h.at between b.first and b.last
      order by h.at desc limit ${maxHitsAGroup}
    ) h`.execute(tx);
  for (const row of rows) {
    byKey.get(keyOf(row.rule_id, row.group_key))?.stored.push({
      ruleId: row.base_key,
      at: row.at.getTime(),
      groupKey: row.group_key,
      ...(row.value !== null && { value: row.value }),
      ref: row.event_id,
      deviceName: row.device_name ?? undefined,
      userName: row.user_name ?? undefined,
    });
  }
}

async function insertHits(tx: Tx, organisationId: number, hits: readonly GroupHit[]): Promise<void> {
  if (hits.length === 0) return;
  await sql`
    insert into correlation_hits (organisation_id, rule_id, group_key, at, event_id, base_key, value, device_name, user_name)
    select ${organisationId}, * from unnest(
      ${integerColumn(hits.map(({ group }) => group.known.id))},
      ${textColumn(hits.map(({ group }) => group.groupKey))},
      ${timeColumn(hits.map(({ hit }) => hit.at))},
      ${uuidColumn(hits.map(({ hit }) => hit.ref))},
      ${textColumn(hits.map(({ hit }) => hit.ruleId))},
      ${textColumn(hits.map(({ hit }) => hit.value))},
      ${textColumn(hits.map(({ hit }) => hit.deviceName))},
      ${textColumn(hits.map(({ hit }) => hit.userName))})
    on conflict do nothing`.execute(tx);
}

async function deleteHits(tx: Tx, organisationId: number, hits: readonly GroupHit[]): Promise<void> {
  if (hits.length === 0) return;
  await sql`
    delete from correlation_hits h using unnest(
      ${integerColumn(hits.map(({ group }) => group.known.id))},
      ${textColumn(hits.map(({ group }) => group.groupKey))},
      ${timeColumn(hits.map(({ hit }) => hit.at))},
      ${uuidColumn(hits.map(({ hit }) => hit.ref))},
      ${textColumn(hits.map(({ hit }) => hit.ruleId))}) as used (rule_id, group_key, at, event_id, base_key)
    where h.organisation_id = ${organisationId} and h.rule_id = used.rule_id and ${groupIs('used.group_key')} and h.at = used.at
      and h.event_id = used.event_id and hashtextextended(h.base_key, 0) = hashtextextended(used.base_key, 0) and h.base_key = used.base_key`.execute(
    tx,
  );
}

async function candidatesOf(
  tx: Tx,
  detector: OrganisationRules,
  organisationId: number,
  completed: readonly CompletedCorrelation[],
): Promise<Candidate[]> {
  const evidence = completed.map(({ hits }) => lastEvents(hits));
  const documents = await readEvents(tx, organisationId, evidence.flat());
  return completed.map(({ group, at, count, hits }, index): Candidate => {
    const { known, correlation, groupKey } = group;
    return {
      key: groupingKey(known, 'group', groupKey),
      rule: known,
      also: [],
      at,
      raisedAt: Math.max(at, ...hits.map((hit) => hit.event?.receivedAt ?? at)),
      clockSkew: 0,
      deviceName: commonOf(hits.map((hit) => hit.deviceName)),
      userName: commonOf(hits.map((hit) => hit.userName)),
      summary: `${known.title}: ${count} ${countedUnit(correlation)}${describeGroup(correlation, groupKey)}`,
      evidence: evidence[index]!.flatMap((hit): Evidence[] => {
        const stored = hit.event ?? documents.get(hit.ref);
        if (!stored) return [];
        return [
          {
            eventId: hit.ref,
            at: hit.event?.at ?? hit.at,
            text: stored.text,
            document: stored.document,
            rule: detector.ruleOf(hit.ruleId),
          },
        ];
      }),
    };
  });
}

/** The newest hits, one per event. */
function lastEvents(hits: readonly Hit[]): Hit[] {
  const events = new Map<string, Hit>();
  for (let i = hits.length - 1; i >= 0 && events.size < maxCopies; i--) {
    const hit = hits[i]!;
    if (!events.has(hit.ref)) events.set(hit.ref, hit);
  }
  return [...events.values()].reverse();
}

/** Reads documents of events from earlier batches; those past retention are missing. */
async function readEvents(
  tx: Tx,
  organisationId: number,
  hits: readonly Hit[],
): Promise<Map<string, { text: string; document: Document }>> {
  const older = hits.filter((hit) => !hit.event);
  return eventStore.find(
    tx,
    organisationId,
    older.map(({ ref, at }) => ({ id: ref, at })),
  );
}

/** Returns the value shared by all, or undefined. */
function commonOf(values: readonly (string | undefined)[]): string | undefined {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : undefined;
}

function countedUnit({ type, valueFields }: Correlation): string {
  if (type === 'event_count') return 'events';
  return type === 'value_count' ? `different values of ${valueFields.join(', ')}` : 'rules together';
}

function describeGroup({ groupBy }: Correlation, groupKey: string): string {
  if (groupBy.length === 0) return '';
  let values: unknown;
  try {
    values = JSON.parse(groupKey);
  } catch {
    return '';
  }
  if (!Array.isArray(values)) return '';
  return ` (${groupBy.map((field, index) => `${field} ${String(values[index])}`).join(', ')})`;
}
