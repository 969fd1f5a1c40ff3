/** Places of values: devices of a user or address, domains of an account. They show how common a value is. One row per value and party. */
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { integerColumn, textColumn, timeColumn } from '../../core/db/bulk.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { EntityKind } from './correlation.rules.ts';

/**
 * Of entities the devices. `account`: its domains; `sid`: its accounts; `sids`: SIDs of an account; `name`: full names of a short one; `rule`: devices
 * of its alerts.
 */
export type PartyKind = EntityKind | 'rule' | 'account' | 'sid' | 'sids' | 'name';

export interface PartySighting {
  kind: PartyKind;
  value: string;
  party: string;
  at: number;
}

export interface Party {
  party: string;
  firstAt: number;
}

/** More parties of a value than any rule allows; the first ones count. */
export const maxParties = 150;

/** One sighting per value and party, with its first and last time. */
export function mergedSightings(sightings: readonly PartySighting[]): Map<string, PartySighting & { last: number }> {
  const merged = new Map<string, PartySighting & { last: number }>();
  for (const each of sightings) {
    const key = JSON.stringify([each.kind, each.value, each.party]);
    const known = merged.get(key);
    if (known) {
      known.at = Math.min(known.at, each.at);
      known.last = Math.max(known.last, each.at);
    } else merged.set(key, { ...each, last: each.at });
  }
  return merged;
}

/** Adds sightings. Returns those whose value and party are new. */
export async function addParties(
  tx: Tx,
  organisationId: number,
  sightings: readonly PartySighting[],
): Promise<{ kind: PartyKind; value: string; party: string }[]> {
  const merged = mergedSightings(sightings);
  if (merged.size === 0) return [];
  // In a fixed order, as concurrent batches of other organisations share the index.
  const rows = [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const { rows: written } = await sql<{ kind: PartyKind; value: string; party: string; isNew: boolean }>`
    insert into entity_parties as p (organisation_id, kind, value, party, first_at, last_at)
    select ${organisationId}, * from unnest(${textColumn(rows.map((row) => row.kind))}, ${textColumn(rows.map((row) => row.value))},
      ${textColumn(rows.map((row) => row.party))}, ${timeColumn(rows.map((row) => row.at))}, ${timeColumn(rows.map((row) => row.last))})
    on conflict (organisation_id, kind, value, party) do update set
      days = p.days + case when (excluded.last_at at time zone 'UTC')::date > (p.last_at at time zone 'UTC')::date then 1 else 0 end,
      first_at = least(p.first_at, excluded.first_at), last_at = greatest(p.last_at, excluded.last_at)
    -- Within an hour nothing changes that is read.
    where excluded.last_at > p.last_at + interval '1 hour' or excluded.first_at < p.first_at
    returning p.kind, p.value, p.party, p.xmax = 0 as "isNew"`.execute(tx);
  return written.filter(({ isNew }) => isNew).map(({ kind, value, party }) => ({ kind, value, party }));
}

export const partyKey = (kind: string, value: string): string => `${kind} ${value}`;

/** Parties by `partyKey`, first ones first. */
export async function readParties(
  tx: Tx,
  organisationId: number,
  wanted: readonly { kind: string; value: string }[],
): Promise<Map<string, Party[]>> {
  if (wanted.length === 0) return new Map();
  const { rows } = await sql<{ kind: string; value: string; party: string; firstAt: Date }>`
    select w.kind, w.value, p.party, p.first_at as "firstAt"
    from unnest(${textColumn(wanted.map(({ kind }) => kind))}, ${textColumn(wanted.map(({ value }) => value))}) as w (kind, value)
    cross join lateral (
      select party, first_at from entity_parties where organisation_id = ${organisationId} and kind = w.kind and value = w.value
      order by party limit ${maxParties}
    ) p`.execute(tx);
  const found = new Map<string, Party[]>();
  for (const { kind, value, party, firstAt } of rows) {
    const key = partyKey(kind, value);
    const list = found.get(key) ?? [];
    found.set(key, list);
    list.push({ party, firstAt: firstAt.getTime() });
  }
  return found;
}

/** Frequency of a rule's alerts for a party. */
export interface Habit {
  /** Days on which the rule raised an alert for the party, this one included. */
  days: number;
  /** Parties for which it did so within the fleet's window. */
  fleet: number;
}

/** Habits in the order of the given pairs; fleets are counted up to `maxFleet`, within `fleetMs` before the alert. */
export async function readHabits(
  tx: Tx,
  organisationId: number,
  pairs: readonly { ruleId: number; party: string; at: number }[],
  maxFleet: number,
  fleetMs: number,
): Promise<Habit[]> {
  if (pairs.length === 0) return [];
  // Whole hours, as many alerts of a rule share one.
  const endOf = (at: number) => Math.ceil(at / hourMs) * hourMs;
  const fleets = [...new Map(pairs.map(({ ruleId, at }) => [`${ruleId} ${endOf(at)}`, { ruleId, end: endOf(at) }])).values()];
  const pairOf = ({ ruleId, party }: { ruleId: number; party: string }) => `${ruleId} ${party}`;
  const habits = [...new Map(pairs.map((pair) => [pairOf(pair), pair])).values()];
  const [{ rows: days }, { rows: counts }] = await Promise.all([
    sql<{ days: number }>`
      select coalesce(p.days, 0) as days
      from unnest(${integerColumn(habits.map(({ ruleId }) => ruleId))}, ${textColumn(habits.map(({ party }) => party))})
        with ordinality as w (rule, party, place)
      left join lateral (
        select days from entity_parties where organisation_id = ${organisationId} and kind = 'rule' and value = w.rule::text and party = w.party limit 1
      ) p on true order by w.place`.execute(tx),
    sql<{ fleet: number }>`
      select f.fleet from unnest(${integerColumn(fleets.map(({ ruleId }) => ruleId))}, ${timeColumn(fleets.map(({ end }) => end))})
        with ordinality as w (rule, ends, place)
      cross join lateral (
        select count(*)::integer as fleet from (
          select from entity_parties o where o.organisation_id = ${organisationId} and o.kind = 'rule' and o.value = w.rule::text
            and o.last_at >= w.ends - ${fleetMs} * interval '1 millisecond' and o.first_at <= w.ends limit ${maxFleet}
        ) found
      ) f order by w.place`.execute(tx),
  ]);
  const fleetOf = new Map(fleets.map(({ ruleId, end }, index) => [`${ruleId} ${end}`, counts[index]!.fleet]));
  const daysOf = new Map(habits.map((pair, index) => [pairOf(pair), days[index]!.days]));
  return pairs.map(({ ruleId, party, at }) => ({
    days: daysOf.get(pairOf({ ruleId, party })) ?? 0,
    fleet: fleetOf.get(`${ruleId} ${endOf(at)}`) ?? 0,
  }));
}

export async function removePartiesBefore(tx: Tx, organisationId: number, before: Date): Promise<void> {
  await sql`delete from entity_parties where organisation_id = ${organisationId} and last_at < ${before}`.execute(tx);
}
