/** SQL of shared indicators. */
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { judgedVerdict } from '../../domain/judgedVerdict.ts';

export interface SharedIndicator {
  id: string;
  /** STIX id, of the portal and the collection. */
  objectId: string;
  clientId: number;
  client: string;
  caseId: number;
  kind: 'ip' | 'domain' | 'hash';
  value: string;
  reputation: 'Malicious' | 'Suspicious';
  firstAt: Date;
  addedAt: Date;
}

export interface Page {
  addedAfter: Date | undefined;
  /** Id of the last row of the page before. */
  after: string | undefined;
  limit: number;
  /** Only the first row of each value; of all organisations in the scope. */
  isDistinct: boolean;
  /** Origin and TLP that the objects' ids depend on. */
  of: { origin: string; tlp: string };
  /** Only these objects; undefined: all. */
  objectIds: readonly string[] | undefined;
  /** Only objects of these times of addition, to the millisecond; undefined: all. */
  versions: readonly Date[] | undefined;
}

/** SHA-256 in the form of a UUID of version 4: the same at each read. The client is part of it where its name is shown. */
function objectIdOf({ of, isDistinct }: Page) {
  const client = isDistinct ? sql`''` : sql`s.organisation_id::text`;
  const digest = sql`encode(sha256(convert_to(concat_ws(E'\n', ${of.origin}::text, ${of.tlp}::text, s.kind, s.value, ${client}), 'UTF8')), 'hex')`;
  return sql<string>`'indicator--' || overlay(overlay(left(${digest}, 32) placing '4' from 13) placing '8' from 17)::uuid`;
}

/** In the order in which they were added, one more than the limit. */
export async function listShared(tx: Tx, scope: Scope, page: Page): Promise<SharedIndicator[]> {
  const { addedAfter, after, limit, isDistinct, objectIds, versions } = page;
  const objectId = objectIdOf(page);
  const isFirst = sql<boolean>`not exists (select from shared_indicators e
    where e.kind = s.kind and e.value = s.value and e.id < s.id and ${within('e.organisation_id', scope)})`;
  const { rows } = await sql<SharedIndicator>`
    select s.id, ${objectId} as "objectId", s.organisation_id as "clientId", o.name as client, s.case_id as "caseId", s.kind, s.value, s.reputation,
      s.first_at as "firstAt", s.added_at as "addedAt"
    from shared_indicators s join organisations o on o.id = s.organisation_id
    where ${within('s.organisation_id', scope)} and s.id > ${after ?? '0'}::bigint
      and (${addedAfter ?? null}::timestamptz is null or s.added_at > ${addedAfter ?? null}::timestamptz)
      and ${objectIds ? sql<boolean>`${objectId} = any(${objectIds}::text[])` : sql<boolean>`true`}
      and ${versions ? sql<boolean>`date_trunc('milliseconds', s.added_at) = any(${versions}::timestamptz[])` : sql<boolean>`true`}
      and ${isDistinct ? isFirst : sql<boolean>`true`}
    order by s.id limit ${limit + 1}`.execute(tx);
  return rows;
}

/**
 * Adds values of malicious cases whose lists call them bad, and withdraws those of cases that are no longer malicious. One process at a time, so that ids
 * and times of addition have the same order.
 */
export async function refreshShared(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('shared indicators'))`.execute(tx);
  await sql`
    insert into shared_indicators (organisation_id, case_id, kind, value, reputation, first_at)
    select distinct on (c.organisation_id, i.kind, i.value) c.organisation_id, c.id, i.kind, i.value, i.reputation, a.first_at
    from cases c
    join case_artifacts a on a.case_id = c.id and a.organisation_id = c.organisation_id
    join indicators i on i.value = lower(a.value) and i.reputation in ('Malicious', 'Suspicious')
      and i.kind = case a.kind when 'destinationIp' then 'ip' when 'sourceIp' then 'ip' when 'domain' then 'domain' when 'hash' then 'hash' end
    where ${judgedVerdict(sql`c`)} = 'Malicious' and not c.is_excluded
      and not exists (select from shared_indicators s where s.organisation_id = c.organisation_id and s.kind = i.kind and s.value = i.value)
    order by c.organisation_id, i.kind, i.value, i.reputation, a.first_at
    limit 10000
    on conflict do nothing`.execute(tx);
  await sql`
    delete from shared_indicators s using cases c
    where c.id = s.case_id and (${judgedVerdict(sql`c`)} is distinct from 'Malicious' or c.is_excluded)`.execute(tx);
}
