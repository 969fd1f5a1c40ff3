/** A case of the demo with many alerts: its own, copied a second apart. */
import { attachEmbedded } from '@parapet/server/core/db/embedded.ts';
import pg from 'pg';

/** Enlarges the case that has the most alerts to `alerts`; returns its ID. */
export async function caseWithAlerts(dataDir: string, alerts: number): Promise<number> {
  const client = new pg.Client({ connectionString: await attachEmbedded({ dataDir }) });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select id, organisation_id as organisation from cases order by alert_count desc, id limit 1`,
    );
    const { id, organisation } = rows[0];
    const row = (table: string, values: string) =>
      `(jsonb_populate_record(null::${table}, to_jsonb(s) || jsonb_build_object(${values}))).*`;
    await client.query('begin');
    await client.query(
      `create temporary table copies on commit drop as
       select a.id as of_id, a.at as of_at, nextval('alert_ids')::integer as id, a.at + n * interval '1 second' as at
       from case_alerts ca join alerts a on a.id = ca.alert_id and a.at = ca.alert_at cross join generate_series(1, $2) as n
       where ca.case_id = $1 order by n, a.id limit $2 - (select count(*) from case_alerts where case_id = $1)`,
      [id, alerts],
    );
    await client.query(
      `insert into alerts select ${row('alerts', `'id', c.id, 'at', c.at`)} from copies c join alerts s on s.id = c.of_id and s.at = c.of_at`,
    );
    await client.query(
      `insert into alert_events select ${row('alert_events', `'alert_id', c.id, 'alert_at', c.at`)}
       from copies c join alert_events s on s.alert_id = c.of_id and s.alert_at = c.of_at`,
    );
    await client.query(
      `insert into case_alerts select ${row('case_alerts', `'alert_id', c.id, 'alert_at', c.at`)}
       from copies c join case_alerts s on s.alert_id = c.of_id and s.alert_at = c.of_at and s.case_id = $1`,
      [id],
    );
    await client.query('update cases set alert_count = $2 where id = $1 and organisation_id = $3', [id, alerts, organisation]);
    await client.query('commit');
    await client.query('analyze');
    return id;
  } finally {
    await client.end();
  }
}
