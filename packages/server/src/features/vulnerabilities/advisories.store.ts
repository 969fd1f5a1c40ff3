/** SQL of advisories. They belong to no organisation: readable in every scope, writable in system scope only. */
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { DataOrigin } from '../../core/db/tables.reports.ts';
import { queuePastSearch } from '../../domain/pastSearches.ts';
import type { Advisory, EpssRow, ExploitedRow } from './advisories.formats.ts';

/** Serialises imports. */
export const lockAdvisories = (tx: Tx): Promise<unknown> => sql`select pg_advisory_xact_lock(hashtext('advisories'))`.execute(tx);

/** Replaces existing advisories with newer ones; the last of duplicate ids in `advisories` counts. */
export async function saveAdvisories(tx: Tx, advisories: readonly Advisory[], now: Date): Promise<void> {
  await lockAdvisories(tx);
  const rows = advisories.map(({ ranges, ...advisory }) => advisory);
  const { rows: written } = await sql<{ id: string }>`
    insert into advisories (id, cve, aliases, title, details, cvss, severity, ecosystem, modified_at, withdrawn_at, imported_at)
    select id, cve, aliases, title, details, cvss, severity, ecosystem, "modifiedAt", "withdrawnAt", ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as a (id text, cve text, aliases text[], title text, details text, cvss numeric,
      severity text, ecosystem text, "modifiedAt" timestamptz, "withdrawnAt" timestamptz)
    order by id
    on conflict (id) do update set cve = excluded.cve, aliases = excluded.aliases, title = excluded.title, details = excluded.details,
      cvss = excluded.cvss, severity = excluded.severity, ecosystem = excluded.ecosystem, modified_at = excluded.modified_at,
      withdrawn_at = excluded.withdrawn_at, imported_at = excluded.imported_at
    where excluded.modified_at >= advisories.modified_at
    returning id`.execute(tx);
  const ids = new Set(written.map(({ id }) => id));
  await sql`delete from advisory_ranges where advisory_id = any(${[...ids]}::text[])`.execute(tx);
  const ranges = advisories.flatMap(({ id, ranges }) => (ids.has(id) ? ranges.map((range) => ({ id, ...range })) : []));
  if (ranges.length === 0) return;
  await sql`
    insert into advisory_ranges (advisory_id, ecosystem, package, introduced, fixed, last_affected, versions)
    select id, ecosystem, package, introduced, fixed, "lastAffected", versions
    from jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) as r (id text, ecosystem text, package text, introduced text, fixed text,
      "lastAffected" text, versions text[])`.execute(tx);
}

export async function saveEpss(tx: Tx, rows: readonly EpssRow[], day: string, now: Date, origin: DataOrigin): Promise<void> {
  await lockAdvisories(tx);
  await sql`
    insert into epss_scores (cve, score, scored_at, imported_at, origin)
    select cve, score, ${day}::date, ${now}, ${origin} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (cve text, score real) order by cve
    on conflict (cve) do update set score = excluded.score, scored_at = excluded.scored_at, imported_at = excluded.imported_at,
      origin = excluded.origin
    where excluded.scored_at >= epss_scores.scored_at`.execute(tx);
}

export async function saveExploited(
  tx: Tx,
  rows: readonly ExploitedRow[],
  isWhole: boolean,
  now: Date,
  origin: DataOrigin,
): Promise<void> {
  await lockAdvisories(tx);
  if (origin !== 'demo') await queueNew(tx, rows, now);
  if (isWhole) await sql`delete from known_exploited where cve <> all(${rows.map(({ cve }) => cve)}::text[])`.execute(tx);
  await sql`
    insert into known_exploited (cve, name, added_at, due_at, imported_at, origin)
    select cve, name, "addedAt", "dueAt", ${now}, ${origin}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as k (cve text, name text, "addedAt" date, "dueAt" date) order by cve
    on conflict (cve) do update set name = excluded.name, added_at = excluded.added_at, due_at = excluded.due_at,
      imported_at = excluded.imported_at, origin = excluded.origin`.execute(tx);
}

/** The past is searched for those that were not known to be exploited. */
async function queueNew(tx: Tx, exploited: readonly ExploitedRow[], at: Date): Promise<void> {
  const { rows } = await sql<{ cve: string }>`
    select cve from known_exploited where cve = any(${exploited.map(({ cve }) => cve)}::text[]) and origin <> 'demo'`.execute(tx);
  const known = new Set(rows.map(({ cve }) => cve));
  const terms = exploited
    .filter(({ cve }) => !known.has(cve))
    .map(({ cve, name }) => ({ kind: 'cve' as const, value: cve.toLowerCase(), source: name }));
  await queuePastSearch(tx, { kind: 'exploited', name: 'Known exploited vulnerabilities', terms, at });
}

export async function countExploited(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from known_exploited where origin <> 'demo'`.execute(tx);
  return rows[0]!.count;
}

const sourceQueries = {
  osv: sql`select ecosystem as kind, count(*)::integer as count, max(modified_at) as newest_at, max(imported_at) as imported_at
    from advisories where ecosystem <> '' group by 1`,
  epss: sql`select 'epss' as kind, count(*)::integer as count, max(scored_at)::timestamptz as newest_at, max(imported_at) as imported_at
    from epss_scores having count(*) > 0`,
  kev: sql`select 'kev' as kind, count(*)::integer as count, max(added_at)::timestamptz as newest_at, max(imported_at) as imported_at
    from known_exploited having count(*) > 0`,
};
export type AdvisoryKind = keyof typeof sourceQueries;

/** Counts the records of a kind and marks all scans for matching again. */
export async function finishImport(tx: Tx, kind: AdvisoryKind, origin: DataOrigin): Promise<void> {
  await lockAdvisories(tx);
  await sql`
    insert into advisory_sources (kind, count, newest_at, imported_at, origin) select s.*, ${origin} from (${sourceQueries[kind]}) s
    on conflict (kind) do update set count = excluded.count, newest_at = excluded.newest_at, origin = excluded.origin,
      imported_at = greatest(excluded.imported_at, advisory_sources.imported_at + interval '1 microsecond')`.execute(tx);
  await sql`update scans set is_due = true where not is_due`.execute(tx);
  // Other data stands there now: a feed imports its file again.
  await sql`update advisory_feeds set digest = null where kind = ${kind}`.execute(tx);
}

/** Version of the data, changed by every import. */
export async function findStamp(tx: Tx): Promise<string> {
  const { rows } = await sql<{ stamp: string | null }>`
    select string_agg(kind || ' ' || imported_at || ' ' || count, ',' order by kind) as stamp from advisory_sources`.execute(tx);
  return rows[0]?.stamp ?? '';
}
