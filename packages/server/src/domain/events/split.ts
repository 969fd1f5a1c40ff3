/**
 * Division of events between blocks and ClickHouse. Read before the blocks and the rows of a search: a move that was under way then counts as not moved for all of the
 * search, whatever has become of it since, so that each event is seen exactly once (docs/decisions/0075-clickhouse.md).
 */
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import { clickHouse } from './clickhouse/connected.ts';

export interface Split {
  /** Number of the last move that had begun. */
  last: number;
  /** Those under way or given up. */
  hidden: readonly number[];
  /** Start of a day: events from then on are all in blocks, moved or not. */
  before: number;
  /** Organisations that the transaction may see, as PostgreSQL has proved them; null for all. */
  visible: readonly number[] | null;
}

/** Blocks that a reader has listed stay as long. */
const marginMs = hourMs;

/** Undefined without ClickHouse, and while no block was removed after its move. */
export async function readSplit(tx: Tx): Promise<Split | undefined> {
  if (!clickHouse()) return undefined;
  const { rows } = await sql<Omit<Split, 'before'> & { trimmed: number }>`
    select number::float8 as last, (extract(epoch from trimmed_before) * 1000)::float8 as trimmed, array(select m.number::float8 from event_moves m order by m.number) as hidden,
      case when not app_is_system() then coalesce(app_organisations()::integer[], '{}') end as visible from event_moves_last`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('event_moves_last has no row.');
  const { trimmed, ...split } = row;
  return Number.isFinite(trimmed) ? { ...split, before: Math.ceil((trimmed + marginMs) / dayMs) * dayMs } : undefined;
}

/** Condition on blocks whose events are read here: ClickHouse does not have them, or they are of the last days. */
export const isHere = ({ last, hidden, before }: Split): RawBuilder<boolean> =>
  sql<boolean>`(b.first_at >= ${new Date(before)} or b.move is null or b.move > ${last}::bigint or b.move = any(${[...hidden]}::bigint[]))`;

/** The same behind other conditions; none without ClickHouse. */
export const andHere = (split: Split | undefined): RawBuilder<unknown> => (split ? sql` and ${isHere(split)}` : sql``);
