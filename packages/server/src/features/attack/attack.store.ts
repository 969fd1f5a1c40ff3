/** SQL of the attack indicators: log sources by device. Alert counts come from the rollups (core/db/figures.ts). */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { stateAt } from '../../domain/deviceState.ts';
import { dayMs } from '../../domain/ranges.ts';

/** Days a log source counts as live, because some send only occasionally; silent devices are excluded. */
export const liveDays = 7;

export interface Fed {
  logSource: string;
  /** Reporting devices that sent the log source within these days. */
  devices: number;
  lastEventAt: Date;
}

export async function listFed(tx: Tx, scope: Scope, now: number): Promise<Fed[]> {
  const at = new Date(now);
  const { rows } = await sql<Fed>`
    select s.log_source as "logSource", max(s.last_at) as "lastEventAt",
      count(*) filter (where s.last_at >= ${new Date(now - liveDays * dayMs)} and ${stateAt(at)} = 'reporting') as devices
    from device_sources s join devices d on d.id = s.device_id
    where ${within('s.organisation_id', scope)} and ${within('d.organisation_id', scope)} and d.merged_into is null
    group by 1`.execute(tx);
  return rows;
}
