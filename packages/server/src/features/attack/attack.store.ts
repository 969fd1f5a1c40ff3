/** SQL of the attack indicators: log sources by device. Alert counts come from the rollups (core/db/figures.ts). */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { fromSources, isLive } from '../../domain/logSources.ts';

export interface Fed {
  logSource: string;
  /** Reporting devices that sent the log source within these days. */
  devices: number;
  lastEventAt: Date;
}

export async function listFed(tx: Tx, scope: Scope, now: number): Promise<Fed[]> {
  const { rows } = await sql<Fed>`
    select s.log_source as "logSource", max(s.last_at) as "lastEventAt", count(*) filter (where ${isLive(now)}) as devices
    from ${fromSources(scope)} group by 1`.execute(tx);
  return rows;
}
