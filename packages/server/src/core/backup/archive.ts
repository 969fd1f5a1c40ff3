/**
 * Continuous backup of the embedded PostgreSQL while it works: base backups of its folder, and the write-ahead log as far as it is on the disk. A
 * replication slot named after the chain keeps the log until it is stored; a restored database has no slot and therefore begins a chain of its own.
 * One process of an installation uses it at a time.
 */
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { copyCluster } from './cluster.ts';
import { createFilesArchive } from './files.ts';
import {
  baseName,
  chainOf,
  isManifest,
  type Manifest,
  manifestOf,
  parseLsn,
  parseWal,
  segmentBytes,
  segmentName,
  segmentStart,
  walName,
} from './names.ts';
import type { BackupStore } from './objects.ts';

const slotPrefix = 'parapet_backup_';
const answerMs = 600_000;
/** During a base backup. */
const shipEveryMs = 10_000;

export interface ArchiveDeps {
  /** Of the database’s owner. */
  ownerUrl: string;
  dataDir: string;
  /** Folder of files outside the database; undefined: they are stored elsewhere. */
  filesDir: string | undefined;
  store: BackupStore;
  clock: Clock;
  log: Log;
}

export interface Archive {
  /** Stores the log up to now, and new files. Returns the time before which every commit is stored. */
  ship(): Promise<Date>;
  /** Newest complete base backup of this chain; undefined before the first. */
  latestBase(): Promise<Manifest | undefined>;
  takeBase(): Promise<Manifest>;
  /** To be called when objects were removed from the store. */
  forget(): void;
  close(): Promise<void>;
}

interface Chain {
  name: string;
  timeline: string;
  clusterDir: string;
  /** Stored up to here. */
  position: bigint;
  /** Objects with parts of the segment at the position. */
  pieces: string[];
}

export async function openArchive(deps: ArchiveDeps): Promise<Archive> {
  const { store, clock, dataDir } = deps;
  const client = new pg.Client({
    connectionString: deps.ownerUrl,
    application_name: 'portal backup',
    query_timeout: answerMs,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  const files = createFilesArchive(store, deps.filesDir);
  let chain: Chain;
  try {
    chain = await openChain(client, deps);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  let shippedAt = 0;

  async function ship(): Promise<Date> {
    const asOf = clock.now();
    const { lsn } = await one<{ lsn: string }>(client, 'select pg_current_wal_flush_lsn()::text as lsn');
    // A file is stored before the row that names it is committed, so the list of now covers the log of before.
    await files.ship(chain.name, asOf);
    await shipLog(client, store, chain, parseLsn(lsn), asOf);
    shippedAt = asOf;
    return new Date(asOf);
  }

  async function takeBase(): Promise<Manifest> {
    const startedAt = clock.now();
    const base = baseName(chain.name, startedAt);
    const parts: Manifest['parts'] = [];
    const putPart = async (part: Buffer) => {
      parts.push(await store.put(`${base}-part-${String(parts.length).padStart(5, '0')}`, part));
      if (clock.now() - shippedAt > shipEveryMs) await ship();
    };
    const copied = await copyCluster(client, { clusterDir: chain.clusterDir, dataDir, label: base, putPart });
    await ship();
    const { version } = await one<{ version: string }>(client, "select current_setting('server_version') as version");
    const manifest: Manifest = {
      format: 1,
      chain: chain.name,
      startedAt: new Date(startedAt).toISOString(),
      endedAt: new Date(clock.now()).toISOString(),
      ...copied,
      timeline: chain.timeline,
      postgres: version,
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      parts,
    };
    // Last: a base backup without its manifest is not used.
    await store.put(manifestOf(base), Buffer.from(JSON.stringify(manifest)));
    return manifest;
  }

  return {
    ship,
    takeBase,
    async latestBase() {
      const newest = (await store.list(`${chain.name}/bases/`)).filter(isManifest).at(-1);
      return newest === undefined ? undefined : readManifest(store, newest);
    },
    forget: files.forget,
    close: () => client.end(),
  };
}

export const readManifest = async (store: BackupStore, name: string): Promise<Manifest> =>
  JSON.parse((await store.get(name)).toString()) as Manifest;

async function one<Row extends pg.QueryResultRow>(client: pg.Client, text: string, values: unknown[] = []): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  return rows[0] as Row;
}

/** Drops what keeps the log of earlier backups, except one slot. */
export async function dropSlots(client: pg.Client, except = ''): Promise<void> {
  await client.query(
    'select pg_drop_replication_slot(slot_name) from pg_replication_slots where starts_with(slot_name, $1) and slot_name <> $2 and not active',
    [slotPrefix, except],
  );
}

/** Continues the chain of the slot, or begins one when there is none, it fell behind, or its base backups are not in this store. */
async function openChain(client: pg.Client, { store, log }: ArchiveDeps): Promise<Chain> {
  const { rows } = await client.query<{ slot: string; start: string | null }>(
    `select slot_name as slot, restart_lsn::text as start from pg_replication_slots
     where starts_with(slot_name, $1) and coalesce(wal_status, 'lost') <> 'lost' order by slot_name limit 1`,
    [slotPrefix],
  );
  const found = rows[0];
  const { timeline, clusterDir } = await one<{ timeline: string; clusterDir: string }>(
    client,
    `select left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline, current_setting('data_directory') as "clusterDir"`,
  );
  const name = found?.slot.slice(slotPrefix.length);
  if (found?.start && name && (await isContinued(store, name))) {
    await dropSlots(client, found.slot);
    const position = segmentStart(parseLsn(found.start));
    const segment = segmentName(timeline, position);
    const pieces = (await store.list(`${name}/wal/`)).filter((each) => parseWal(each)?.segment === segment);
    return { name, timeline, clusterDir, position, pieces };
  }
  await dropSlots(client);
  const begun = randomBytes(8).toString('hex');
  const { start } = await one<{ start: string }>(
    client,
    'select lsn::text as start from pg_create_physical_replication_slot($1, true)',
    [slotPrefix + begun],
  );
  log.info({ chain: begun }, 'a new chain of backups begins');
  return { name: begun, timeline, clusterDir, position: segmentStart(parseLsn(start)), pieces: [] };
}

/** True when the store has a base backup of the chain under the present key. */
async function isContinued(store: BackupStore, name: string): Promise<boolean> {
  const newest = (await store.list(`${name}/bases/`)).filter(isManifest).at(-1);
  if (newest === undefined) return false;
  return readManifest(store, newest).then(
    (manifest) => manifest.chain === chainOf(newest),
    () => false,
  );
}

async function shipLog(client: pg.Client, store: BackupStore, chain: Chain, end: bigint, asOf: number): Promise<void> {
  while (chain.position < end) {
    const start = segmentStart(chain.position);
    const isWhole = end >= start + BigInt(segmentBytes);
    // A whole segment replaces the pieces of it.
    const from = isWhole ? 0 : Number(chain.position - start);
    const to = isWhole ? segmentBytes : Number(end - start);
    const segment = segmentName(chain.timeline, start);
    const bytes = await readRange(join(chain.clusterDir, 'pg_wal', segment), from, to);
    const name = walName(chain.name, { segment, from, to, asOf });
    await store.put(name, bytes);
    chain.position = start + BigInt(to);
    chain.pieces.push(name);
    if (!isWhole) continue;
    for (const piece of chain.pieces) if (piece !== name) await store.remove(piece);
    chain.pieces = [];
    await client.query('select pg_replication_slot_advance($1, $2::pg_lsn)', [slotPrefix + chain.name, lsnText(chain.position)]);
  }
}

const lsnText = (position: bigint): string =>
  `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();

async function readRange(path: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    if (bytesRead !== to - from) throw new Error(`${path} ends at ${from + bytesRead}, before ${to}.`);
    return buffer;
  } finally {
    await handle.close();
  }
}
