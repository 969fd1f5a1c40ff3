/** Hand-over archive: what the client itself may read, as compressed NDJSON in parts, so that memory is bounded by one part, and its archived events as Parquet. */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import type { Blobs } from '../../core/blobs.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope, type Tx } from '../../core/db/scope.ts';
import { accessDigest } from '../../domain/accessSeals.ts';
import { eventStore } from '../../domain/events/eventStore.ts';
import { shownName, visible } from '../../domain/visibility.ts';

const pack = promisify(gzip);
const rowsPerPart = 5_000;
const statementTimeoutMs = 120_000;

/** A row, and its position in the order of the table. */
interface Positioned {
  row: unknown;
  at: string;
  id: string;
}
type ReadPart = (tx: Tx, scope: Scope, client: number, after: Pick<Positioned, 'at' | 'id'> | undefined) => Promise<Positioned[]>;

const start = { at: '-infinity', id: '' };

const readUsers: ReadPart = async (tx, _scope, client, after) =>
  (
    await sql<Positioned>`select '' as at, lpad(u.id::text, 10, '0') as id, jsonb_build_object('email', u.email, 'firstName', u.first_name,
        'lastName', u.last_name, 'role', u.role, 'createdAt', u.created_at) as row
      from users u where u.organisation_id = ${client} and not u.is_deleted and lpad(u.id::text, 10, '0') > ${after?.id ?? ''}
      order by id limit ${rowsPerPart}`.execute(tx)
  ).rows;

const readDevices: ReadPart = async (tx, _scope, client, after) =>
  (
    await sql<Positioned>`select '' as at, d.id::text as id, jsonb_build_object('id', d.id, 'name', d.name, 'type', d.device_type,
        'createdAt', d.created_at, 'lastEventAt', d.last_event_at) as row
      from devices d where d.organisation_id = ${client} and (${after?.id ?? null}::uuid is null or d.id > ${after?.id ?? null}::uuid)
      order by d.id limit ${rowsPerPart}`.execute(tx)
  ).rows;

const readCases: ReadPart = async (tx, scope, client, after) =>
  (
    await sql<Positioned>`select '' as at, c.id::text as id, jsonb_build_object('id', c.id, 'title', c.title, 'status', c.status,
        'verdict', c.verdict, 'criticality', c.criticality, 'createdAt', c.created_at, 'closedAt', c.closed_at, 'resolution', c.resolution,
        'alerts', (select coalesce(jsonb_agg(a.alert_id order by a.alert_at), '[]') from case_alerts a where a.case_id = c.id),
        'notes', (select coalesce(jsonb_agg(jsonb_build_object('at', n.created_at, 'by', ${shownName(scope, 'n.author_user_id', 'n.author_name')},
          'text', n.text) order by n.id), '[]') from case_notes n where n.case_id = c.id and ${visible('case_notes', scope, sql.ref('n'))})) as row
      from cases c where c.organisation_id = ${client} and c.id > ${Number(after?.id ?? 0)}
      order by c.id limit ${rowsPerPart}`.execute(tx)
  ).rows;

const readAlerts: ReadPart = async (tx, _scope, client, after = { ...start, id: '0' }) =>
  (
    await sql<Positioned>`select a.at::text as at, a.id::text as id, jsonb_build_object('id', a.id, 'at', a.at, 'rule', r.title,
        'criticality', a.criticality, 'device', a.device_name, 'user', a.user_name, 'summary', a.summary, 'count', a.fire_count) as row
      from alerts a join rules r on r.id = a.rule_id
      where a.organisation_id = ${client} and (a.at, a.id) > (${after.at}::timestamptz, ${Number(after.id)}::integer)
      order by a.at, a.id limit ${rowsPerPart}`.execute(tx)
  ).rows;

/** Newest first. */
const readEvents: ReadPart = async (tx, scope, client, after) => {
  const found: Positioned[] = [];
  const before = after && { at: Date.parse(after.at), id: after.id };
  const isOfClient = ({ organisationId }: { organisationId: number }) => organisationId === client;
  await eventStore.scan(
    tx,
    scope,
    { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY, before, fits: isOfClient },
    (event) => {
      const at = new Date(event.at).toISOString();
      found.push({
        at,
        id: event.id,
        row: { id: event.id, at, receivedAt: new Date(event.receivedAt).toISOString(), event: event.document },
      });
      return found.length === rowsPerPart;
    },
  );
  return found;
};

/** Looks of staff of the provider and the partner, by the rule of names; `sha256` as in the seals of the audit log, null for entries that are open. */
const readAccesses: ReadPart = async (tx, scope, client, after) =>
  (
    await sql<Positioned>`select '' as at, lpad(l.id::text, 19, '0') as id, jsonb_build_object('id', l.id,
        'person', ${shownName(scope, 'l.user_id', 'l.person_name')}, 'from', l.first_at, 'to', l.last_at, 'requests', l.looks, 'reason', l.reason,
        'reasonText', l.reason_text, 'sensitiveView', nullif(l.view, ''), 'data', l.kinds, 'by', l.channels, 'isOpened', l.is_opened,
        'sha256', case when l.sealed_at is null then null else ${accessDigest(sql`l`)} end) as row
      from access_looks l where l.organisation_id = ${client} and l.looks > 0 and lpad(l.id::text, 19, '0') > ${after?.id ?? ''}
      order by id limit ${rowsPerPart}`.execute(tx)
  ).rows;

const tables: readonly (readonly [name: string, read: ReadPart])[] = [
  ['users', readUsers],
  ['devices', readDevices],
  ['cases', readCases],
  ['alerts', readAlerts],
  ['events', readEvents],
  ['access-log', readAccesses],
];

/** Parquet files of events past their days, as they are kept. */
async function listArchived(tx: Tx, client: number): Promise<{ key: string; rows: number }[]> {
  return tx
    .selectFrom('archive_files')
    .select(['key', 'rows'])
    .where('organisation_id', '=', client)
    .orderBy('day')
    .orderBy('part')
    .execute();
}

export interface ArchiveFile {
  name: string;
  bytes: Buffer;
}

interface Entry {
  file: string;
  rows: number;
  sha256: string;
}

/** Files of the archive; the last is the manifest with the rows and the SHA-256 of each. `details` becomes organisation.json. */
export async function* archiveFiles(
  { db, blobs }: { db: Database; blobs: Blobs },
  scope: Scope,
  client: number,
  details: object,
  now: Date,
): AsyncGenerator<ArchiveFile> {
  const entries: Entry[] = [];
  const listed = (name: string, bytes: Buffer, rows: number): ArchiveFile => {
    entries.push({ file: name, rows, sha256: createHash('sha256').update(bytes).digest('hex') });
    return { name, bytes };
  };
  yield listed('organisation.json', Buffer.from(`${JSON.stringify(details, null, 2)}\n`), 1);
  for (const [table, read] of tables) {
    let after: Positioned | undefined;
    for (let part = 1; ; part++) {
      const rows = await readScoped(db, scope, (tx) => read(tx, scope, client, after), {
        statementTimeoutMs,
        isolation: 'repeatable read',
      });
      if (rows.length === 0) break;
      const lines = Buffer.from(rows.map(({ row }) => `${JSON.stringify(row)}\n`).join(''));
      yield listed(`${table}/${String(part).padStart(5, '0')}.ndjson.gz`, await pack(lines), rows.length);
      after = rows.at(-1);
      if (rows.length < rowsPerPart) break;
    }
  }
  for (const { key, rows } of await readScoped(db, scope, (tx) => listArchived(tx, client))) {
    const bytes = await blobs.get(key);
    if (bytes) yield listed(`archive/${key.slice(key.lastIndexOf('/') + 1)}`, bytes, rows);
  }
  const manifest = { organisation: client, createdAt: now.toISOString(), files: entries };
  yield { name: 'manifest.json', bytes: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) };
}
