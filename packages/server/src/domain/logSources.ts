/** Log sources that devices send now, as the ATT&CK matrix counts them, over `device_sources s` and `devices d`. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Scope, Tx } from '../core/db/scope.ts';
import { within } from '../core/db/within.ts';
import { stateAt } from './deviceState.ts';

/** Days a log source counts as live, because some send only occasionally; silent devices are excluded. */
const liveDays = 7;

export const fromSources = (scope: Scope): RawBuilder<unknown> => sql`device_sources s join devices d on d.id = s.device_id
  where ${within('s.organisation_id', scope)} and ${within('d.organisation_id', scope)} and d.merged_into is null`;

/** True for a source that a reporting device sent within these days. */
export const isLive = (now: number): RawBuilder<boolean> =>
  sql<boolean>`(s.last_at >= ${new Date(now - liveDays * dayMs)} and ${stateAt(new Date(now))} = 'reporting')`;

/** True if a rule, by its facts, has a live log source. The portal’s own events on its data sources are always available. */
export const liveRule = (facts: RawBuilder<unknown>, scope: Scope, now: number): RawBuilder<boolean> =>
  sql<boolean>`exists (select from unnest(string_to_array(${facts} ->> 'logSource', '; ')) source
    where source ~ '^portal\\y' or source = any(array(select distinct s.log_source from ${fromSources(scope)} and ${isLive(now)})))`;

export interface Fed {
  logSource: string;
  /** Reporting devices that sent the log source within these days. */
  devices: number;
  lastEventAt: Date;
  /** Organisations of these devices. */
  organisationIds: number[];
}

export async function listFed(tx: Tx, scope: Scope, now: number): Promise<Fed[]> {
  const { rows } = await sql<Fed>`
    select s.log_source as "logSource", max(s.last_at) as "lastEventAt", count(*) filter (where ${isLive(now)}) as devices,
      coalesce(array_agg(distinct s.organisation_id) filter (where ${isLive(now)}), '{}') as "organisationIds"
    from ${fromSources(scope)} group by 1`.execute(tx);
  return rows;
}

/** Log sources of a rule, by its facts; a correlation has those of the rules that it counts. */
export const logSourcesOf = (text: string): string[] => text.split('; ');

/** The portal’s own events on its data sources, which are always available. */
export const isPortals = (logSource: string): boolean => /^portal\b/.test(logSource);
