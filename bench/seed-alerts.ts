/**
 * Alerts by the million for benchmarks, with the rollups that the write path would have kept. Made inside PostgreSQL, in the order
 * of time, indexes last: a million in about 20 s. Deterministic, but no world: names and texts only have the lengths of real ones.
 *
 *   node bench/seed-alerts.ts postgres://owner@host/db 1000000 [organisations]
 */
import { pathToFileURL } from 'node:url';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import pg from 'pg';

export interface SeedOptions {
  /** A migrated database, as its owner (who is not held by row-level security: a superuser, or the tables' owner). */
  ownerUrl: string;
  alerts: number;
  /** Clients, ids 1001 and up, below partner 2; the first ones are the busiest. */
  organisations?: number;
  rules?: number;
  devicesPerOrganisation?: number;
  usersPerOrganisation?: number;
  months?: number;
  /** The newest alert's time, milliseconds since 1970. */
  end?: number;
  log?: (text: string) => void;
}

export interface Seeded {
  organisationIds: number[];
  start: Date;
  end: Date;
}

export async function seedAlerts(options: SeedOptions): Promise<Seeded> {
  const {
    alerts,
    organisations = 200,
    rules = 2_400,
    devicesPerOrganisation = 60,
    usersPerOrganisation = 80,
    months = 12,
  } = options;
  const end = new Date(options.end ?? Date.now());
  const start = new Date(end.getTime() - Math.round(months * 30.4) * dayMs);
  const log = options.log ?? (() => undefined);
  const client = new pg.Client({ connectionString: options.ownerUrl });
  await client.connect();
  const run = async (what: string, sql: string, values: unknown[] = []) => {
    const started = performance.now();
    const { rowCount } = await client.query(sql, values);
    log(`${what}: ${rowCount ?? ''} in ${Math.round(performance.now() - started)} ms`);
  };
  try {
    await client.query(`set statement_timeout = 0; set synchronous_commit = off; set time zone 'UTC'`);
    await run('partitions', 'select make_partitions($1::date, $2::date)', [start, new Date(end.getTime() + 40 * dayMs)]);
    await run('organisations', organisationsSql, [organisations]);
    await run('rules', rulesSql, [rules]);
    await run('devices', devicesSql, [organisations, devicesPerOrganisation]);

    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = 'alerts'::regclass and not i.indisprimary`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query('select setseed(0.42)');
    const batch = 250_000;
    for (let first = 0; first < alerts; first += batch) {
      const last = Math.min(first + batch, alerts) - 1;
      await run(`alerts ${first}`, alertsSql, [
        first,
        last,
        alerts,
        start,
        end,
        organisations,
        rules,
        devicesPerOrganisation,
        usersPerOrganisation,
      ]);
    }
    for (const { name, definition } of indexes) await run(name, definition.replace(' ON ONLY ', ' ON '));
    for (const [name, sql] of Object.entries(rollupsSql)) await run(name, sql);
    await run('analyze', 'vacuum (analyze)');
  } finally {
    await client.end();
  }
  return { organisationIds: Array.from({ length: organisations }, (_, i) => 1001 + i), start, end };
}

const organisationsSql = `
  with partners as (
    insert into organisations (id, name, is_partner, parent_id) values (1, 'Provider', true, null), (2, 'Partner', true, 1) on conflict do nothing
  )
  insert into organisations (id, name, parent_id) select 1000 + n, 'Client organisation ' || n, 2 from generate_series(1, $1::integer) n
  on conflict do nothing`;

const rulesSql = `
  insert into rules (key, title, category, criticality, facts)
  select gen_random_uuid(), 'Suspicious use of a system tool, variant ' || n, (array['Execution','Persistence','Credential Access','Discovery','Impact'])[1 + n % 5],
    case when n % 50 = 0 then 5 when n % 10 = 1 then 4 when n % 3 = 0 then 3 when n % 2 = 0 then 2 else 1 end,
    jsonb_build_object('description', 'Looks for it.', 'falsePositives', jsonb_build_array('Administrators'), 'references', '[]'::jsonb,
      'logSource', 'windows process_creation', 'condition', 'selection and not filter', 'techniques', jsonb_build_array('T' || 1000 + n % 600), 'tactics', '["execution"]'::jsonb)
  from generate_series(1, $1::integer) n`;

const devicesSql = `
  insert into devices (organisation_id, name, device_type, last_event_at)
  select 1000 + o, format('WS-%s-%s', o, d), (array['workstation','server'])[1 + (d % 4 = 0)::integer], now()
  from generate_series(1, $1::integer) o, generate_series(1, $2::integer) d on conflict do nothing`;

// Squared random numbers make the first organisations, rules and devices the busiest.
const alertsSql = `
  with rule as (select array_agg(id order by id) as ids, array_agg(criticality order by id) as criticalities from rules),
  raw as materialized (
    select n, $4::timestamptz + (($5::timestamptz - $4::timestamptz) * (n / $3::float8)) as at, 1 + floor($6::integer * power(random(), 2))::integer as o,
      1 + floor($7::integer * power(random(), 3))::integer as r, floor($8::integer * power(random(), 2))::integer as d,
      floor($9::integer * power(random(), 2))::integer as u, random() as chance
    from generate_series($1::bigint, $2::bigint) n
  )
  insert into alerts (at, organisation_id, last_at, raised_at, rule_id, criticality, device_name, user_name, summary, fire_count, is_new)
  select date_trunc('milliseconds', at), 1000 + o, at + interval '1 minute', at + interval '2 seconds', ids[r], criticalities[r],
    case when chance > 0.05 then format('WS-%s-%s', o, d) end, case when chance < 0.8 then format('CORP\\user%s.%s', o, u) end,
    format('rundll32.exe started by winword.exe with a script from the internet on WS-%s-%s (variant %s)', o, d, r),
    case when chance < 0.1 then 2 + floor(chance * 100)::integer else 1 end, n > $3 * 0.8 and chance > 0.3
  from raw, rule order by n`;

// Inserted by day, as in production.
const rollupsSql = {
  rollup_hour_severity: `insert into rollup_hour_severity select organisation_id, date_trunc('hour', at), criticality, count(*) from alerts group by 1, 2, 3 order by 2, 1`,
  rollup_day_severity: `insert into rollup_day_severity select organisation_id, at::date, criticality, count(*), count(*) filter (where is_new) from alerts group by 1, 2, 3 order by 2, 1`,
  rollup_month_severity: `insert into rollup_month_severity select organisation_id, date_trunc('month', at)::date, criticality, count(*), count(*) filter (where is_new) from alerts group by 1, 2, 3 order by 2, 1`,
  rollup_day_rule: `insert into rollup_day_rule select organisation_id, at::date, rule_id, count(*) from alerts where at >= (select max(at) from alerts)::date - 62 group by 1, 2, 3 order by 2, 1`,
  rollup_month_rule: `insert into rollup_month_rule select organisation_id, date_trunc('month', at)::date, rule_id, count(*) from alerts group by 1, 2, 3 order by 2, 1`,
  rollup_day_device: `insert into rollup_day_device select organisation_id, at::date, device_name, count(*) from alerts where device_name is not null group by 1, 2, 3 order by 2, 1`,
  rollup_month_device: `insert into rollup_month_device select organisation_id, date_trunc('month', at)::date, device_name, count(*) from alerts where device_name is not null group by 1, 2, 3 order by 2, 1`,
  rollup_month_user: `insert into rollup_month_user select organisation_id, date_trunc('month', at)::date, user_name, count(*) from alerts where user_name is not null group by 1, 2, 3 order by 2, 1`,
  rollup_day_user: `insert into rollup_day_user select organisation_id, at::date, user_name, count(*) from alerts where user_name is not null group by 1, 2, 3 order by 2, 1`,
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [ownerUrl, alerts, organisations] = process.argv.slice(2);
  if (!ownerUrl) throw new Error('Usage: node bench/seed-alerts.ts postgres://owner@host/db 1000000 [organisations]');
  const seeded = await seedAlerts({
    ownerUrl,
    alerts: Number(alerts ?? 1_000_000),
    ...(organisations ? { organisations: Number(organisations) } : {}),
    log: (text) => process.stderr.write(`${text}\n`),
  });
  process.stdout.write(`${JSON.stringify({ ...seeded, organisationIds: seeded.organisationIds.length })}\n`);
}
