/** SQL of searches of the past. */
import type { PastHitKind, PastSearchKind } from '@parapet/contract/pastSearches.ts';
import { sql } from 'kysely';
import { textColumn } from '../../core/db/bulk.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { storableJson } from '../../domain/audit.ts';
import type { PastTerm } from '../../domain/pastSearches.ts';
import { eventDaysOf } from '../../domain/retentionDays.ts';

/** Longer than the limit of a slice with the pause after it. */
const leaseSeconds = 300;

export interface SearchRow {
  id: number;
  kind: PastSearchKind;
  name: string;
  firstAt: Date;
  lastAt: Date;
}

/** Ends searches whose workers stopped three times without progress; returns their clients that were not searched to the end. */
export async function failStopped(
  tx: Tx,
  now: Date,
): Promise<(Pick<SearchRow, 'id' | 'kind' | 'name'> & { organisationId: number })[]> {
  const { rows } = await sql<Pick<SearchRow, 'id' | 'kind' | 'name'> & { organisationId: number }>`
    with failed as (
      update past_searches set state = 'failed', finished_at = ${now}, failure = 'Stopped after three attempts.'
      where state = 'running' and attempts >= 3 and leased_until < now() returning id, kind, name)
    select f.id, f.kind, f.name, c.organisation_id as "organisationId"
    from failed f join past_search_clients c on c.search_id = f.id and c.state = 'waiting'`.execute(tx);
  return rows;
}

/** Leases the next search, also one whose worker has stopped. */
export async function takeSearch(tx: Tx, now: Date, days: number): Promise<SearchRow | undefined> {
  const { rows } = await sql<SearchRow>`
    update past_searches set state = 'running', attempts = attempts + 1, leased_until = now() + make_interval(secs => ${leaseSeconds}),
      last_at = coalesce(last_at, ${now}), first_at = coalesce(first_at, ${now}::timestamptz - make_interval(days => ${days}))
    where id = (select id from past_searches where state = 'waiting' or (state = 'running' and leased_until < now())
      order by id limit 1 for update skip locked)
    returning id, kind, name, first_at as "firstAt", last_at as "lastAt"`.execute(tx);
  return rows[0];
}

/** True if a search waits for a worker. */
export async function hasOpen(tx: Tx): Promise<boolean> {
  const { rows } = await sql`
    select from past_searches where state = 'waiting' or (state = 'running' and leased_until < now()) limit 1`.execute(tx);
  return rows.length > 0;
}

/** Place of a client as a worker read it; another worker has the search once it is moved. */
export type Place = Pick<ClientRow, 'organisationId' | 'searchedTo'>;

const isAt = ({ organisationId, searchedTo }: Place) =>
  sql`c.organisation_id = ${organisationId} and c.state = 'waiting' and c.searched_to = ${new Date(searchedTo)}`;

/** Renews the lease after progress; false when another worker has the search. */
export async function renew(tx: Tx, id: number, from: Place): Promise<boolean> {
  const { rows } = await sql`
    update past_searches s set attempts = 0, leased_until = now() + make_interval(secs => ${leaseSeconds})
    where s.id = ${id} and s.state = 'running' and exists (select from past_search_clients c where c.search_id = s.id and ${isAt(from)})
    returning s.id`.execute(tx);
  return rows.length > 0;
}

/** Leaves a search to the next worker at once. */
export const release = (tx: Tx, id: number): Promise<unknown> =>
  sql`update past_searches set leased_until = now(), attempts = 0 where id = ${id} and state = 'running'`.execute(tx);

export const finish = (tx: Tx, id: number, now: Date): Promise<unknown> =>
  sql`
    with ended as (update past_searches set state = 'done', finished_at = ${now} where id = ${id} and state = 'running' returning id)
    delete from past_search_terms where search_id in (select id from ended)`.execute(tx);

export async function listTerms(tx: Tx, id: number): Promise<PastTerm[]> {
  const { rows } = await sql<PastTerm>`
    select kind, value, reputation, source, version, replaced from past_search_terms where search_id = ${id}`.execute(tx);
  return rows;
}

/**
 * Clients that may have events, once for a search: all but erased ones, and partners with events of their own. Each with the days of the range that
 * only the archive has, and with its scanned devices.
 */
export const addClients = (tx: Tx, { id, firstAt, lastAt }: SearchRow, portalDays: number): Promise<unknown> =>
  sql`
    insert into past_search_clients (search_id, organisation_id, searched_to, first_at, archived_days, scanned_devices)
    select ${id}, o.id, ${lastAt}, greatest(${firstAt}::timestamptz, ${lastAt}::timestamptz - make_interval(days => ${eventDaysOf('o', portalDays)})),
      (select count(distinct f.day)::integer from archive_files f
        where f.organisation_id = o.id and f.last_at >= ${firstAt} and f.first_at < ${lastAt} and not exists (
          select from recall_files r join recalls c on c.id = r.recall_id and c.state = 'ready' where r.archive_file_id = f.id and r.is_loaded)),
      (select count(distinct s.device_id)::integer from scans s where s.organisation_id = o.id)
    from organisations o where o.erased_at is null
      and (not o.is_partner or exists (select from event_blocks b where b.organisation_id = o.id))
    on conflict do nothing`.execute(tx);

export interface ClientRow {
  organisationId: number;
  searchedTo: number;
  firstAt: number;
  oldestAt: number | null;
  kinds: string[];
}

const milliseconds = (column: string) => sql`(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;

/** The client with the shortest way so far: the newest events of all come first. */
export async function nextClient(tx: Tx, id: number): Promise<ClientRow | undefined> {
  const { rows } = await sql<ClientRow>`
    select organisation_id as "organisationId", ${milliseconds('searched_to')} as "searchedTo", ${milliseconds('first_at')} as "firstAt",
      ${milliseconds('oldest_at')} as "oldestAt", kinds
    from past_search_clients where search_id = ${id} and state = 'waiting' order by searched_to desc, organisation_id limit 1`.execute(
    tx,
  );
  return rows[0];
}

export interface HitExample {
  /** Milliseconds since 1970. */
  at: number;
  deviceName: string | null;
  userName: string | null;
  field: string;
  text: string;
}

export interface Hit {
  kind: PastHitKind;
  value: string;
  label: string;
  reputation: string | null;
  source: string;
  count: number;
  firstAt: number;
  lastAt: number;
  examples: HitExample[];
}

export interface Progress {
  organisationId: number;
  /** Place of the client before. */
  from: number;
  searchedTo: number;
  oldestAt: number | null;
  events: number;
  kinds: readonly string[];
  state: 'waiting' | 'done' | 'failed';
  isFull?: boolean;
  lost?: number;
  hits: readonly Hit[];
}

/** Distinct finds of a client; more are not kept. */
const maxHits = 1_000;
const maxExamples = 3;

/** Adds what a slice found, in the transaction that moves the place to go on from. False when another worker has the search. */
export async function saveProgress(tx: Tx, id: number, { organisationId, hits, ...of }: Progress): Promise<boolean> {
  const from = { organisationId, searchedTo: of.from };
  if (!(await renew(tx, id, from))) return false;
  // Another worker may have moved it since the lease was read.
  const { rows: moved } = await sql`
    update past_search_clients c set searched_to = ${new Date(of.searchedTo)}, oldest_at = ${of.oldestAt === null ? null : new Date(of.oldestAt)},
      events = c.events + ${of.events}, kinds = ${textColumn([...of.kinds])}, state = ${of.state}, is_full = c.is_full or ${of.isFull ?? false},
      lost = c.lost + ${of.lost ?? 0}
    where c.search_id = ${id} and ${isAt(from)} returning c.search_id`.execute(tx);
  if (moved.length === 0) return false;
  if (hits.length === 0) return true;
  const rows = hits.map(({ firstAt, lastAt, ...hit }) => ({
    ...hit,
    firstAt: new Date(firstAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
  }));
  // Slices go back in time: the examples of a later one are older.
  await sql`
    insert into past_search_hits as h (search_id, organisation_id, kind, value, label, reputation, source, count, first_at, last_at, examples)
    select ${id}, ${organisationId}, kind, value, label, reputation, source, count, "firstAt", "lastAt", examples
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as n (kind text, value text, label text, reputation text, source text, count bigint,
      "firstAt" timestamptz, "lastAt" timestamptz, examples jsonb)
    order by "lastAt" desc
    limit greatest(0, ${maxHits} - (select count(*) from past_search_hits o where o.search_id = ${id} and o.organisation_id = ${organisationId}
      and not (o.kind, o.value) in (select e.kind, e.value from jsonb_to_recordset(${storableJson(rows)}::jsonb) as e (kind text, value text))))
    on conflict (search_id, organisation_id, kind, value) do update set count = h.count + excluded.count,
      first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at),
      examples = (select coalesce(jsonb_agg(x.value order by x.ordinality), '[]') from
        jsonb_array_elements(h.examples || excluded.examples) with ordinality x where x.ordinality <= ${maxExamples})`.execute(
    tx,
  );
  return true;
}

/** Open findings of vulnerabilities on devices, with the alerts of these devices since a time. */
export async function listFindings(tx: Tx, organisationId: number, cves: readonly string[], since: Date): Promise<Hit[]> {
  // PostgreSQL hashes the list of `= any`, also without statistics of the tables.
  const wanted = textColumn(cves.map((cve) => cve.toUpperCase()));
  const { rows } = await sql<Omit<Hit, 'kind' | 'label' | 'reputation' | 'source'>>`
    with matched as (
      select upper(cve) as value, device_id, package, installed_version, first_seen_at from findings
      where organisation_id = ${organisationId} and fixed_at is null and upper(cve) = any(${wanted})
      union all
      select alias, device_id, package, installed_version, first_seen_at from findings cross join unnest(aliases) as a (alias)
      where organisation_id = ${organisationId} and fixed_at is null and alias = any(${wanted})),
    found as (
      select m.value, d.name, min(m.package || ' ' || m.installed_version) as package, min(m.first_seen_at) as first_at
      from matched m join devices d on d.id = m.device_id group by m.value, d.name),
    alerted as (
      select lower(device_name) as name, count(*)::integer as alerts from alerts
      where organisation_id = ${organisationId} and at >= ${since} and exists (select from found) group by lower(device_name)),
    devices as (select f.*, coalesce(a.alerts, 0) as alerts from found f left join alerted a on a.name = lower(f.name))
    select value, count(*)::integer as count, (extract(epoch from min(first_at)) * 1000)::float8 as "firstAt",
      (extract(epoch from max(first_at)) * 1000)::float8 as "lastAt",
      (jsonb_path_query_array(jsonb_agg(jsonb_build_object('at', (extract(epoch from first_at) * 1000)::float8, 'deviceName', left(name, 200), 'userName', null,
        'field', '', 'text', left(package, 300) || ', ' || alerts || case alerts when 1 then ' alert' else ' alerts' end)
        order by alerts desc, name), '$[0 to 2]')) as examples
    from devices group by value`.execute(tx);
  return rows.map((row) => ({ kind: 'finding', label: '', reputation: null, source: '', ...row }));
}

export async function countHits(tx: Tx, id: number, organisationId: number): Promise<{ events: number; hits: number }> {
  const { rows } = await sql<{ events: number; hits: number }>`
    select c.events::float8 as events, (select count(*)::integer from past_search_hits h where h.search_id = c.search_id
      and h.organisation_id = c.organisation_id) as hits
    from past_search_clients c where c.search_id = ${id} and c.organisation_id = ${organisationId}`.execute(tx);
  return rows[0]!;
}

export interface ListedSearch {
  id: number;
  kind: PastSearchKind;
  name: string;
  packId: number | null;
  terms: number;
  termKinds: string[];
  leftOut: number;
  state: 'waiting' | 'running' | 'done' | 'failed';
  failure: string;
  requestedAt: Date;
  finishedAt: Date | null;
  firstAt: Date | null;
  lastAt: Date | null;
  clients: number;
  searched: number;
  incomplete: number;
  events: number;
  hits: number;
}

/** True of a client of which a part of the range could not be searched; a day's difference is none. */
const isPartial = sql<boolean>`(c.state = 'failed' or c.is_full or c.archived_days > 0
  or (c.state = 'done' and (c.oldest_at is null or c.oldest_at > s.first_at + interval '1 day')))`;

/** All for the provider’s people; for others those that have begun for a client in scope. */
export async function listSearches(tx: Tx, scope: Scope, isProvider: boolean, id?: number): Promise<ListedSearch[]> {
  const { rows } = await sql<ListedSearch>`
    select s.id, s.kind, s.name, s.pack_id as "packId", s.left_out as "leftOut", s.state, s.failure, s.requested_at as "requestedAt",
      s.finished_at as "finishedAt", s.first_at as "firstAt", s.last_at as "lastAt",
      s.terms, s.term_kinds as "termKinds",
      coalesce(c.clients, 0) as clients, coalesce(c.searched, 0) as searched, coalesce(c.incomplete, 0) as incomplete,
      coalesce(c.events, 0) as events, (select count(*)::integer from past_search_hits h where h.search_id = s.id
        and ${within('h.organisation_id', scope)}) as hits
    from past_searches s left join lateral (
      select count(*)::integer as clients, count(*) filter (where c.state = 'done')::integer as searched,
        count(*) filter (where ${isPartial})::integer as incomplete, sum(c.events)::float8 as events
      from past_search_clients c where c.search_id = s.id and ${within('c.organisation_id', scope)}) c on true
    where (${isProvider} or c.clients > 0) and ${id === undefined ? sql`true` : sql`s.id = ${id}`} order by s.id desc limit 100`.execute(
    tx,
  );
  return rows;
}

export interface ListedClient {
  organisationId: number;
  name: string;
  state: 'waiting' | 'done' | 'failed';
  events: number;
  searchedTo: Date;
  oldestAt: Date | null;
  isPartial: boolean;
  archivedDays: number;
  kinds: string[];
  scannedDevices: number;
  lost: number;
  hits: number;
}

export async function listClients(tx: Tx, scope: Scope, id: number): Promise<ListedClient[]> {
  const { rows } = await sql<ListedClient>`
    select * from (
      select c.organisation_id as "organisationId", o.name, c.state, c.events::float8 as events, c.searched_to as "searchedTo",
        c.oldest_at as "oldestAt", ${isPartial} as "isPartial", c.archived_days as "archivedDays", c.kinds, c.scanned_devices as "scannedDevices",
        c.lost, (select count(*)::integer from past_search_hits h where h.search_id = c.search_id and h.organisation_id = c.organisation_id) as hits
      from past_search_clients c join past_searches s on s.id = c.search_id join organisations o on o.id = c.organisation_id
      where c.search_id = ${id} and ${within('c.organisation_id', scope)}) x
    order by hits > 0 desc, lower(name), "organisationId" limit 1000`.execute(tx);
  return rows;
}

export async function listHits(tx: Tx, scope: Scope, id: number): Promise<(Hit & { organisationId: number; name: string })[]> {
  const { rows } = await sql<Hit & { organisationId: number; name: string }>`
    select h.organisation_id as "organisationId", o.name, h.kind, h.value, h.label, h.reputation, h.source, h.count::float8 as count,
      ${milliseconds('h.first_at')} as "firstAt", ${milliseconds('h.last_at')} as "lastAt", h.examples
    from past_search_hits h join organisations o on o.id = h.organisation_id
    where h.search_id = ${id} and ${within('h.organisation_id', scope)}
    order by h.last_at desc, h.organisation_id, h.kind, h.value limit 500`.execute(tx);
  return rows;
}

/** Finds of the past are of use for a while only. */
export const removeOld = (tx: Tx): Promise<unknown> =>
  sql`delete from past_searches where requested_at < now() - interval '90 days' and state in ('done', 'failed')`.execute(tx);
