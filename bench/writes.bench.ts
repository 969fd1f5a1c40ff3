/**
 * G8: writing complete batches (events, alerts, devices, rollups, counters: one transaction) against COPY of the same rows from
 * a server-side file into the same partitioned tables and indexes. Interleaved in one run.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { silentLog } from '@parapet/server/core/log.ts';
import { createCorrelationService } from '@parapet/server/features/correlation/correlation.service.ts';
import { createDetector, readBuiltIn } from '@parapet/server/pipeline/detector.ts';
import { createDeviceRegister } from '@parapet/server/pipeline/devices.ts';
import type { Event } from '@parapet/server/pipeline/event.ts';
import { createEventWriter } from '@parapet/server/pipeline/event-writer.ts';
import { runPipeline } from '@parapet/server/pipeline/pipeline.ts';
import pg from 'pg';
import { fleet, rulesDir } from './events.ts';
import { percentile } from './figures.ts';
import type { Result } from './run.ts';
import { temporaryDatabase } from './temporary-database.ts';

// Collect garbage from preparing the batch, outside the measurement.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const batches = 24;
const eventsABatch = 2_500;
const organisationId = 5000;

export async function run(): Promise<Result[]> {
  const { db, ownerUrl, session, close } = await temporaryDatabase();
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  const file = join(tmpdir(), `parapet-bench-${randomUUID()}`);
  try {
    await session(organisationId);
    await owner.query(`set statement_timeout = 0; select make_partitions((now() - interval '31 days')::date, now()::date)`);
    await createPlainSchema(owner);
    const detector = await createDetector({ db, builtIn: await readBuiltIn(rulesDir) });
    detector.prepare();
    let now = Date.now() - 3_600_000;
    const clock = { now: () => now };
    const eventWriterFor = (groupingWindowMs: number) =>
      createEventWriter({ db, clock, detector, devices: createDeviceRegister(), groupingWindowMs, log: silentLog });
    const take = await fleet();
    const eventsOf = async (kind: 'mixed' | 'known'): Promise<Event[]> => {
      const arrivals = take(eventsABatch, now - 2_000, kind).map(({ id, index, line }) => ({ raw: line, index, documentId: id }));
      const batch = {
        organisationId,
        receivedAt: now,
        eventRetentionMs: 30 * 86_400_000,
        detector,
        ids: new Set<string>(),
        contents: new Map<string, number>(),
      };
      return (await runPipeline(arrivals, batch)).flatMap((outcome) => (outcome.kind === 'ok' ? [outcome.event] : []));
    };
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const started = performance.now();
      await work();
      return performance.now() - started;
    };
    /** Moves the rows of the last batch to the plain schema. */
    const copy = async (events: readonly Event[], tables: Record<string, string>): Promise<number> => {
      await owner.query('truncate plain.batch');
      await owner.query(`insert into plain.batch select * from json_to_recordset($1::json) as e ${eventColumns}`, [
        rowsOf(events),
      ]);
      await owner.query(`copy plain.batch to '${file}.events'`);
      for (const [table, where] of Object.entries(tables))
        if (table !== 'events') await owner.query(`copy (select * from ${table} where ${where}) to '${file}.${table}'`);
      return timed(async () => {
        await owner.query('begin');
        for (const table of Object.keys(tables)) await owner.query(`copy plain.${table} from '${file}.${table}'`);
        await owner.query('commit');
      });
    };

    const lane = async (name: string, kind: 'mixed' | 'known', tables: () => Record<string, string>): Promise<Result> => {
      // No grouping where alerts are measured.
      const eventWriter = eventWriterFor(kind === 'known' ? 0 : 3_600_000);
      const ours: number[] = [];
      const limit: number[] = [];
      for (let batch = -2; batch < batches; batch++) {
        now += 60_000;
        const events = await eventsOf(kind);
        collectGarbage();
        const elapsed = await timed(() => eventWriter.writeBatch({ organisationId, events, dead: [], counts: new Map() }));
        const theirs = await copy(events, tables());
        if (batch < 0) continue;
        ours.push(elapsed);
        limit.push(theirs);
      }
      // Fastest quarter, which excludes the noise of other programs.
      const perSecond = (times: number[]) => (eventsABatch / percentile(times, 0.25)) * 1_000;
      const [value, top] = [perSecond(ours), perSecond(limit)];
      return { name, unit: 'events/s', value, limit: top, ratio: value / top };
    };
    const correlation = createCorrelationService({ db, log: silentLog });
    const results = [await lane('writes.events', 'mixed', () => ({ events: '' }))];
    await correlation.run(organisationId);
    results.push(
      await lane('writes.alerts', 'known', () => ({
        events: '',
        alerts: `raised_at >= '${new Date(now).toISOString()}'`,
        alert_events: `alert_id in (select id from alerts where raised_at >= '${new Date(now).toISOString()}')`,
      })),
    );
    // Correlation keeps up if it dequeues alerts at least as fast as they arrive at this rate.
    const { rows: queued } = await owner.query<{ alerts: number }>('select count(*)::integer as alerts from correlation_queue');
    const alerts = queued[0]!.alerts;
    const raised = results[1]!.value * (alerts / ((batches + 2) * eventsABatch));
    const correlated = (alerts / (await timed(() => correlation.run(organisationId)))) * 1_000;
    results.push({ name: 'writes.correlation', unit: 'alerts/s', value: correlated, limit: raised, ratio: correlated / raised });
    const { rows } = await owner.query<{ events: number; alerts: number; grouped: number; plain: number }>(
      `select (select sum(count)::integer from event_blocks) as events, (select count(*)::integer from alerts) as alerts,
        (select sum(fire_count)::integer from alerts) as grouped, (select count(*)::integer from plain.events) as plain`,
    );
    if (rows[0]!.events !== rows[0]!.plain) throw new Error(`the lanes did not write the same: ${JSON.stringify(rows[0])}`);
    if (process.env.BENCH_SAY) console.log(rows[0]);
    return results;
  } finally {
    await owner.end();
    await close();
    for (const table of ['events', 'alerts', 'alert_events']) await rm(`${file}.${table}`, { force: true });
  }
}

const eventColumns = `(organisation_id integer, at timestamptz, id uuid, received_at timestamptz, clock_skew smallint, shape text, device_name text,
  user_name text, text text, document jsonb)`;

const rowsOf = (events: readonly Event[]): string =>
  JSON.stringify(
    events.map((event) => ({
      organisation_id: organisationId,
      at: new Date(event.at).toISOString(),
      id: event.id,
      received_at: new Date(event.receivedAt).toISOString(),
      clock_skew: event.clockSkew,
      shape: event.shape,
      device_name: event.deviceName,
      user_name: event.userName,
      text: event.text,
      document: event.document,
    })),
  );

/** Creates the tables in a separate schema, with partitions and indexes; events one to a row, as COPY would write them. */
async function createPlainSchema(owner: pg.Client): Promise<void> {
  const { rows: indexes } = await owner.query<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index i where i.indrelid = any ('{event_rows,alerts,alert_events}'::regclass[])`,
  );
  const { rows: months } = await owner.query<{ child: string; parent: string; bounds: string }>(
    `select c.relname as child, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent where p.relkind = 'p'`,
  );
  await owner.query('create schema plain');
  await owner.query(`create unlogged table plain.batch ${eventColumns.replaceAll('\n', ' ')}`);
  for (const table of ['events', 'alerts', 'alert_events']) {
    const key = table === 'events' || table === 'alerts' ? 'at' : 'alert_at';
    const like = table === 'events' ? 'event_rows' : table;
    await owner.query(`create table plain.${table} (like ${like}) partition by range (${key})`);
  }
  for (const { child, parent, bounds } of months)
    await owner.query(
      `create table plain.${child.replace('event_blocks', 'events')} partition of plain.${parent.replace('event_blocks', 'events')} ${bounds} with (toast_tuple_target = 8160)`,
    );
  for (const { definition } of indexes)
    await owner.query(
      definition.replace(' ON ONLY public.event_rows', ' ON plain.events').replace(' ON ONLY public.', ' ON plain.'),
    );
}
