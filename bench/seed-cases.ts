/**
 * Cases over the alerts of seed-alerts.ts: each organisation's alerts of Medium and above, split into cases by time; one has
 * 2,000.
 */
import pg from 'pg';

export async function seedCases({
  ownerUrl,
  cases,
  bigCase,
}: {
  ownerUrl: string;
  cases: number;
  bigCase: number;
}): Promise<number> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await client.query(`set statement_timeout = 0; set synchronous_commit = off`);
    // The busiest client's first alerts form one case; the rest is distributed evenly.
    await client.query(
      `create temporary table dealt as
       with numbered as (
         select organisation_id, id, at, rule_id, criticality, device_name, user_name, is_new,
           row_number() over (order by organisation_id, at, id) as n, count(*) over () as all_of_them
         from alerts where criticality >= 3
       )
       select *, case when n <= $2 then 1 else 2 + floor((n - 1 - $2) * ($1 - 1)::float8 / (all_of_them - $2))::integer end as case_id from numbered`,
      [cases, bigCase],
    );
    await client.query(
      // A case across two organisations keeps only the alerts of its first one.
      `delete from dealt using (select case_id, min(organisation_id) as organisation_id from dealt group by 1) own
       where own.case_id = dealt.case_id and own.organisation_id <> dealt.organisation_id`,
    );
    await client.query(
      `insert into cases (id, organisation_id, created_at, updated_at, title, status, investigation_status, criticality, score, percentage, alert_count, new_count,
         first_alert_at, last_alert_at, tactics, device_names, user_names, acknowledged_at, closed_at, verdict, confidence, probability, decided_at, needs_decision, model)
       overriding system value
       select case_id, organisation_id, min(at), max(at), 'Suspicious use of a system tool on ' || coalesce(min(device_name), 'a device'),
         (array['closed','closed','closed','open','assigned','investigating','escalated'])[1 + case_id % 7], 1 + case_id % 7, max(criticality), sum(criticality) * 7,
         least(100, sum(criticality) * 7), count(*), count(*) filter (where is_new), min(at), max(at), array['Execution', 'Discovery'],
         (array_agg(distinct device_name) filter (where device_name is not null))[1:20], coalesce((array_agg(distinct user_name) filter (where user_name is not null))[1:20], '{}'),
         case when case_id % 7 <> 3 then min(at) + interval '20 minutes' end, case when case_id % 7 < 3 then max(at) + interval '3 hours' end,
         (array['Benign','Malicious','Insufficient Information'])[1 + case_id % 3], case when case_id % 3 < 2 then 50 + case_id % 50 end, 0.5, max(at), false, 'bench'
       from dealt group by case_id, organisation_id having min(device_name) is not null`,
    );
    await client.query(
      `insert into case_alerts select d.organisation_id, d.case_id, d.id, d.at, d.rule_id, d.criticality, 'The same device within 24 hours.'
       from dealt d join cases c on c.id = d.case_id order by d.case_id, d.at`,
    );
    await client.query(
      `insert into case_artifacts select organisation_id, id, 'device', unnest(device_names), first_alert_at, last_alert_at, 1 from cases`,
    );
    await client.query(
      `insert into case_history (organisation_id, case_id, at, kind, text) select organisation_id, id, created_at, 'status', 'The case was opened.' from cases`,
    );
    await client.query(`select setval(pg_get_serial_sequence('cases', 'id'), (select max(id) from cases))`);
    await client.query('vacuum (analyze)');
    return Number((await client.query('select count(*) from cases')).rows[0].count);
  } finally {
    await client.end();
  }
}
