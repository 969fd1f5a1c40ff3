/** Tables in ClickHouse, for one server or a cluster. Statements may run again: a column that is added later follows as its own. */
import type { ClickHouse } from './client.ts';

/** One part for each day: events leave by day, and a batch of one day is stored whole or not at all. */
const table = (name: string, engine: string, on: string) => `
  create table if not exists ${name}${on} (
    organisation_id UInt32,
    at Int64 codec(Delta, ZSTD(1)),
    id String codec(ZSTD(1)),
    received_at Int64 codec(Delta, ZSTD(1)),
    clock_skew Int16,
    shape LowCardinality(String),
    device_name LowCardinality(Nullable(String)),
    user_name LowCardinality(Nullable(String)),
    text String codec(ZSTD(3)),
    document String codec(ZSTD(3)),
    move UInt64,
    index grams ${searched} type ngrambf_v1(4, 32768, 2, 0) granularity 1,
    index arrivals received_at type minmax granularity 4
  ) engine = ${engine} partition by intDiv(at, 86400000) order by (organisation_id, at, id)
  settings index_granularity = 1024, fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1`;

/** Text of an event for searches, with `A` to `Z` in lower case. */
export const searched = `lower(concat(document, '\\n', text, '\\n', ifNull(device_name, ''), '\\n', ifNull(user_name, '')))`;

/** The tenant wall of every read: a view whose organisations are its parameter. */
export const eventsOf = 'portal_events_of';
export const eventsTable = 'portal_events';

export function statements(cluster: string | undefined): string[] {
  const on = cluster ? ` on cluster '${cluster.replace(/[\\']/g, '\\$&')}'` : '';
  const engine = cluster ? `ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')` : 'MergeTree';
  const view = (source: string) =>
    `create view if not exists ${eventsOf}${on} as select * from ${source} where organisation_id in {organisations:Array(UInt32)}`;
  if (!cluster) return [table(eventsTable, engine, on), view(eventsTable)];
  // All events of an organisation lie on one shard.
  return [
    table(`${eventsTable}_local`, engine, on),
    `create table if not exists ${eventsTable}${on} as ${eventsTable}_local
      engine = Distributed('${cluster.replace(/[\\']/g, '\\$&')}', currentDatabase(), ${eventsTable}_local, organisation_id)`,
    view(eventsTable),
  ];
}

/** The table that deletions name. */
export const deletedFrom = (cluster: string | undefined): string =>
  cluster ? `${eventsTable}_local on cluster '${cluster.replace(/[\\']/g, '\\$&')}'` : eventsTable;

export async function prepareClickHouse(clickHouse: ClickHouse): Promise<void> {
  for (const statement of statements(clickHouse.cluster)) await clickHouse.command(statement);
}
