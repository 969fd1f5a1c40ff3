import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/database.ts';
import { eventRows, putEvents } from '../../../test/storedEvents.ts';
import { movableClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { createRetentionService } from './retention.service.ts';

const t = useTestDatabase();

const months = async (table: string, parent = table) =>
  (
    await scoped(t.db, 'system', (tx) =>
      sql<{
        name: string;
      }>`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${parent}::regclass order by 1`.execute(
        tx,
      ),
    )
  ).rows.map((row) => row.name.slice(table.length + 1));

test('creates partitions ahead once and drops fully expired ones', async () => {
  const clock = movableClock(Date.parse('2022-01-15T12:00:00Z'));
  const retention = createRetentionService({
    db: t.db,
    clock,
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  });
  await retention.makeMonths();
  await retention.makeMonths();
  expect(await months('event_blocks', 'event_blocks_merged')).toEqual(['2021_12', '2022_01', '2022_02', '2022_03']);
  expect(await months('alerts')).toEqual(['2021_12', '2022_01', '2022_02', '2022_03']);

  clock.moveTo(Date.parse('2022-03-02T00:00:00Z'));
  await retention.dropOld();
  // 30 days before March 2 is January 31: January still has retained data.
  expect(await months('event_blocks', 'event_blocks_merged')).toEqual(['2022_01', '2022_02', '2022_03']);
  expect(await months('alerts')).toHaveLength(4);

  clock.moveTo(Date.parse('2023-02-01T00:00:00Z'));
  await retention.makeMonths();
  await retention.dropOld();
  expect((await months('alerts'))[0]).toBe('2022_01');
  expect((await months('alert_events', 'alert_events_kept'))[0]).toBe('2022_01');
});

test('keeps cases and removes their links to deleted alerts', async () => {
  const now = Date.parse('2024-06-15T00:00:00Z');
  const organisation_id = await scoped(t.db, 'system', async (tx) => {
    const { id } = await tx.insertInto('organisations').values({ name: 'Keeps' }).returning('id').executeTakeFirstOrThrow();
    return id;
  });
  const caseId = await scoped(t.db, 'system', async (tx) => {
    const at = new Date('2023-01-01T00:00:00Z');
    const { id } = await tx
      .insertInto('cases')
      .values({ organisation_id, title: 'Old', criticality: 4, alert_count: 2, first_alert_at: at, last_alert_at: at })
      .returning('id')
      .executeTakeFirstOrThrow();
    const alert = { organisation_id, case_id: id, rule_id: 1, criticality: 4, joined_by: 'the same device' };
    await tx
      .insertInto('case_alerts')
      .values([
        { ...alert, alert_id: 901, alert_at: at },
        { ...alert, alert_id: 902, alert_at: new Date('2024-06-01T00:00:00Z') },
      ])
      .execute();
    return id;
  });
  const parts = { db: t.db, clock: movableClock(now), log: silentLog, eventRetentionDays: 30, longestWindowMs: 0 };
  await createRetentionService({ ...parts, alertRetentionMonths: 13 }).dropOld();
  const left = await scoped(t.db, 'system', async (tx) => ({
    alerts: await tx.selectFrom('case_alerts').select('alert_id').where('case_id', '=', caseId).execute(),
    found: await tx.selectFrom('cases').select('alert_count').where('id', '=', caseId).executeTakeFirst(),
  }));
  expect(left).toEqual({ alerts: [{ alert_id: 902 }], found: { alert_count: 2 } });
});

test('removes device counts past their use and keeps daily figures for years', async () => {
  const now = Date.parse('2025-08-15T12:00:00Z');
  const at = (days: number) => new Date(now - days * 86_400_000);
  const day = (days: number) => at(days).toISOString().slice(0, 10);
  const organisation_id = 600;
  await scoped(t.db, 'system', async (tx) => {
    await tx.insertInto('organisations').values({ id: organisation_id, name: 'Counts' }).execute();
    const { id: device_id } = await tx
      .insertInto('devices')
      .values({ organisation_id, name: 'host', device_type: 'server' })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('device_hours')
      .values([41, 43].map((days) => ({ organisation_id, device_id, hour: at(days), events: days })))
      .execute();
    await tx
      .insertInto('device_days')
      .values([31, 33].map((days) => ({ organisation_id, device_id, day: day(days) })))
      .execute();
    await tx
      .insertInto('device_day_counts')
      .values([33, 1_900].map((days) => ({ organisation_id, device_type: 'server', day: day(days), devices: days })))
      .execute();
    await tx
      .insertInto('device_silences')
      .values([
        { organisation_id, device_id, since: at(500), told_at: null, ended_at: at(450) },
        { organisation_id, device_id, since: at(430), told_at: null, ended_at: null },
      ])
      .execute();
  });
  const parts = { db: t.db, clock: movableClock(now), log: silentLog, eventRetentionDays: 30, longestWindowMs: 0 };
  await createRetentionService({ ...parts, alertRetentionMonths: 13 }).dropOld();
  const left = await scoped(t.db, { organisationIds: [organisation_id] }, async (tx) => ({
    hours: await tx.selectFrom('device_hours').select('events').execute(),
    days: (await sql<{ day: string }>`select day::text as day from device_days`.execute(tx)).rows,
    counts: await tx.selectFrom('device_day_counts').select('devices').execute(),
    silences: await tx.selectFrom('device_silences').select('since').execute(),
  }));
  expect(left).toEqual({
    hours: [{ events: 41 }],
    days: [{ day: day(31) }],
    counts: [{ devices: 33 }],
    silences: [{ since: at(430) }],
  });
});

describe('an organisation with shorter retention', () => {
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000);
  const remainingEvents = async () => (await scoped(t.db, 'system', (tx) => eventRows(tx))).map(({ text }) => text).sort();
  const countOf = async (table: 'alerts' | 'alert_events' | 'dead_letters') => {
    const column = { alerts: 'summary', alert_events: 'text', dead_letters: 'raw' }[table];
    const { rows } = await scoped(t.db, 'system', (tx) =>
      sql<{ name: string }>`select ${sql.ref(column)} as name from ${sql.table(table)} order by 1`.execute(tx),
    );
    return rows.map((row) => row.name);
  };

  test('loses its older alerts and events; other organisations and figures stay', async () => {
    const retention = createRetentionService({
      db: t.db,
      clock: movableClock(now),
      log: silentLog,
      alertRetentionMonths: 13,
      eventRetentionDays: 30,
      longestWindowMs: 0,
      // Small enough to need several batches.
      batch: 2,
    });
    const event = (days: number, text: string) => ({ at: daysAgo(days), text });
    const alert = (organisation: number, days: number, name: string, last = days) => ({
      organisation_id: organisation,
      at: daysAgo(days),
      last_at: daysAgo(last),
      raised_at: daysAgo(days),
      rule_id: 1,
      criticality: 3,
      device_name: null,
      user_name: null,
      summary: name,
    });
    await scoped(t.db, 'system', async (tx) => {
      await sql`select make_partitions(${daysAgo(100).toISOString().slice(0, 10)}::date, ${daysAgo(0).toISOString().slice(0, 10)}::date)`.execute(
        tx,
      );
      await tx
        .insertInto('organisations')
        .values([
          { id: 501, name: 'short', parent_id: null, alert_retention_months: 2, event_retention_days: 7 },
          { id: 502, name: 'usual', parent_id: null },
          // Chosen when the portal’s retention was longer; the portal’s limit applies.
          { id: 503, name: 'long', parent_id: null, alert_retention_months: 120, event_retention_days: 3650 },
        ])
        .execute();
      await putEvents(tx, 501, [...[8, 9, 10, 11, 12].map((days) => event(days, `short ${days}`)), event(6, 'short 6')]);
      await putEvents(tx, 502, [event(10, 'usual 10')]);
      await putEvents(tx, 503, [event(10, 'long 10')]);
      const alerts = await tx
        .insertInto('alerts')
        .values([
          alert(501, 95, 'short 95'),
          alert(501, 90, 'short 90'),
          alert(501, 80, 'short 80'),
          alert(501, 79, 'short 79, seen again', 1),
          alert(501, 40, 'short 40'),
          alert(502, 90, 'usual 90'),
          alert(503, 90, 'long 90'),
        ])
        .returning(['id', 'at', 'organisation_id', 'summary'])
        .execute();
      await tx
        .insertInto('alert_events')
        .values(
          alerts.map(({ id, at, organisation_id, summary }) => ({
            organisation_id,
            alert_id: id,
            alert_at: at,
            event_id: randomUUID(),
            event_at: at,
            text: summary,
            why: '{}',
            document: '{}',
          })),
        )
        .execute();
      await tx
        .insertInto('dead_letters')
        .values(
          [501, 502].map((organisation_id) => ({
            organisation_id,
            received_at: daysAgo(10),
            step: 'parse',
            reason: 'x',
            raw: `${organisation_id}`,
          })),
        )
        .execute();
      await tx
        .insertInto('rollup_day_severity')
        .values({ organisation_id: 501, day: daysAgo(90).toISOString().slice(0, 10), criticality: 3, count: 1, new_count: 0 })
        .execute();
    });

    await retention.dropOld();
    const remainingAlerts = ['long 90', 'short 40', 'short 79, seen again', 'usual 90'];
    expect(await remainingEvents()).toEqual(['long 10', 'short 6', 'usual 10']);
    expect(await countOf('alerts')).toEqual(remainingAlerts);
    expect(await countOf('alert_events')).toEqual(remainingAlerts);
    expect(await countOf('dead_letters')).toEqual(['502']);
    const figures = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('rollup_day_severity').select('count').where('organisation_id', '=', 501).execute(),
    );
    expect(figures).toEqual([{ count: 1 }]);
  });

  test('cannot delete recent data or other tables', async () => {
    const remove = (kind: string, at: Date) =>
      scoped(t.db, 'system', (tx) => sql`select remove_over_age(${kind}, 501, ${at}, 100)`.execute(tx));
    await expect(remove('event_blocks', new Date())).rejects.toThrow(/when they are over age/);
    await expect(remove('audit', daysAgo(10))).rejects.toThrow(/nothing that has an age/);
    await expect(scoped(t.db, 'system', (tx) => sql`delete from alerts`.execute(tx))).rejects.toThrow(/permission denied/);
  });
});

test('denies other drops to the application’s role', async () => {
  await expect(scoped(t.db, 'system', (tx) => sql`select drop_partitions('users', now())`.execute(tx))).rejects.toThrow(
    /not a table with months/,
  );
  await expect(scoped(t.db, 'system', (tx) => sql`select drop_partitions('alerts', now())`.execute(tx))).rejects.toThrow(
    /when they are over/,
  );
  await expect(scoped(t.db, 'system', (tx) => sql`drop table alerts`.execute(tx))).rejects.toThrow(/must be owner/);
});

test('deletes questions to Sapphire after 90 days', async () => {
  const now = Date.parse('2024-06-15T00:00:00Z');
  const organisation_id = await scoped(t.db, 'system', async (tx) => {
    const { id } = await tx.insertInto('organisations').values({ name: 'Asks' }).returning('id').executeTakeFirstOrThrow();
    const user = await tx
      .insertInto('users')
      .values({ organisation_id: id, email: `${randomUUID()}@test.example`, first_name: 'A', last_name: 'B', role: 'Analyst' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const message = { organisation_id: id, user_id: user.id, conversation: randomUUID(), answer: 'a', kind: 'answer' } as const;
    for (const [question, days] of [
      ['old', 91],
      ['young', 89],
    ] as const)
      await tx
        .insertInto('sapphire_messages')
        .values({ ...message, question, created_at: new Date(now - days * 86_400_000) })
        .execute();
    return id;
  });
  const clock = movableClock(now);
  const parts = { db: t.db, clock, log: silentLog, eventRetentionDays: 30, longestWindowMs: 0 };
  await createRetentionService({ ...parts, alertRetentionMonths: 13 }).dropOld();
  const left = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('sapphire_messages').select('question').where('organisation_id', '=', organisation_id).execute(),
  );
  expect(left).toEqual([{ question: 'young' }]);
});

test('removes user names without figures, and marks those that were shown by them', async () => {
  const now = Date.parse('2024-06-15T00:00:00Z');
  const named = (organisation_id: number, user_name: string) => ({
    organisation_id,
    user_name,
    identity: 'ana@oak',
    shown_name: 'ana@oak.example',
    is_stale: false,
  });
  const organisation_id = await scoped(t.db, 'system', async (tx) => {
    const { id } = await tx.insertInto('organisations').values({ name: 'Names' }).returning('id').executeTakeFirstOrThrow();
    await tx
      .insertInto('identity_names')
      .values([named(id, 'ana@oak.example'), named(id, 'OAK\\ana')])
      .execute();
    await tx
      .insertInto('rollup_month_user')
      .values({ organisation_id: id, month: '2024-06-01', user_name: 'OAK\\ana', count: 1 })
      .execute();
    return id;
  });
  const retention = createRetentionService({
    db: t.db,
    clock: movableClock(now),
    log: silentLog,
    alertRetentionMonths: 13,
    eventRetentionDays: 30,
    longestWindowMs: 0,
  });
  await retention.dropOld();
  const left = await scoped(t.db, 'system', (tx) =>
    tx.selectFrom('identity_names').select(['user_name', 'is_stale']).where('organisation_id', '=', organisation_id).execute(),
  );
  expect(left).toEqual([{ user_name: 'OAK\\ana', is_stale: true }]);
});
