/** Restore into an empty data folder: base backup, write-ahead log up to a time, files; then PostgreSQL recovers and is stopped. */
import { chown, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { UNPRIVILEGED } from '../db/embedded.binaries.ts';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded.ts';
import type { Log } from '../log.ts';
import { readManifest } from './archive.ts';
import { unpack } from './entries.ts';
import {
  isManifest,
  type ListedFile,
  type Manifest,
  parseLsn,
  parseWal,
  segmentBytes,
  segmentName,
  segmentStart,
  timeOfList,
  type WalPiece,
} from './names.ts';
import type { BackupStore } from './objects.ts';
import { readList } from './prune.ts';

const recoveryWithinMs = 6 * hourMs;

export interface RestoreOptions {
  store: BackupStore;
  /** Missing or empty. */
  dataDir: string;
  /** Undefined: as late as possible. */
  at?: Date | undefined;
  log: Log;
  /** Settings of PostgreSQL, for databases that are thrown away. */
  settings?: Readonly<Record<string, string>>;
  /** Runs on the recovered database before it is stopped. */
  work(ownerUrl: string, restoredTo: Date, base: Manifest): Promise<void>;
}

export interface Restored {
  base: Manifest;
  /** Every commit before is restored, none after. */
  restoredTo: Date;
  files: number;
}

export interface Available {
  manifest: Manifest;
  pieces: WalPiece[];
  /** Commits before are stored. */
  until: number;
}

/** Complete base backups with their log, newest first. */
export async function listAvailable(store: BackupStore): Promise<Available[]> {
  const names = await store.list('');
  const found: Available[] = [];
  for (const name of names.filter(isManifest)) {
    const manifest = await readManifest(store, name);
    const ofChain = names.filter((each) => each.startsWith(`${manifest.chain}/wal/`)).flatMap((each) => parseWal(each) ?? []);
    const pieces = unbroken(manifest, ofChain);
    found.push({ manifest, pieces, until: Math.max(Date.parse(manifest.endedAt), ...pieces.map(({ asOf }) => asOf)) });
  }
  return found.sort((one, other) => Date.parse(other.manifest.endedAt) - Date.parse(one.manifest.endedAt));
}

/** The log from a base backup on, up to the first gap. */
function unbroken({ startLsn, timeline }: Manifest, all: readonly WalPiece[]): WalPiece[] {
  const bySegment = Map.groupBy(all, ({ segment }) => segment);
  const found: WalPiece[] = [];
  for (let position = segmentStart(parseLsn(startLsn)); ; position += BigInt(segmentBytes)) {
    const pieces = bySegment.get(segmentName(timeline, position)) ?? [];
    let end = 0;
    for (;;) {
      const [next] = pieces.filter(({ from, to }) => from <= end && to > end).sort((one, other) => other.to - one.to);
      if (!next) break;
      found.push(next);
      end = next.to;
    }
    if (end < segmentBytes) return found;
  }
}

/** Throws a text for the operator when nothing reaches `at`. */
function choose(all: readonly Available[], at: Date | undefined): Available {
  const time = at?.getTime() ?? Number.POSITIVE_INFINITY;
  const chosen = all.find(({ manifest }) => Date.parse(manifest.endedAt) <= time);
  const iso = (ms: number) => new Date(ms).toISOString();
  if (!chosen) {
    const [oldest] = all.slice(-1);
    throw new Error(
      oldest
        ? `The oldest base backup ended at ${oldest.manifest.endedAt}. Choose that time or a later one.`
        : 'There is no complete base backup here. Check BACKUP_DIR or BACKUP_S3_….',
    );
  }
  if (at && time > chosen.until)
    throw new Error(`The backup reaches to ${iso(chosen.until)}. Choose that time or an earlier one, or leave --at out.`);
  return chosen;
}

export async function restore({ store, dataDir, at, log, settings = {}, work }: RestoreOptions): Promise<Restored> {
  const { manifest, pieces, until } = choose(await listAvailable(store), at);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await readdir(dataDir)).length > 0)
    throw new Error(`${dataDir} is not empty. A restore never overwrites data: name an empty folder by DATA_DIR.`);
  const uid = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  const staged = join(dataDir, 'restoring');
  await mkdir(staged, { mode: 0o700 });
  log.info({ base: manifest.endedAt, bytes: manifest.bytes }, 'the base backup is being restored');
  const files = await unpack(partsOf(store, manifest), staged, uid);
  await restoreLog(store, pieces, at, join(staged, 'postgres', 'pg_wal'), uid);
  const others = await restoreFiles(store, manifest.chain, at, join(dataDir, 'files'));
  const signal = join(staged, 'postgres', 'recovery.signal');
  await writeFile(signal, '', { mode: 0o600 });
  if (uid !== undefined) await chown(signal, uid, uid);
  for (const name of await readdir(staged)) {
    if (uid !== undefined && name !== 'postgres') await chown(join(staged, name), 0, 0);
    await rename(join(staged, name), join(dataDir, name));
  }
  await rm(staged, { recursive: true });

  const restoredTo = at && at.getTime() < until ? at : new Date(until);
  log.info({ to: restoredTo.toISOString() }, 'the database is being recovered');
  const postgres = await recover(dataDir, { at: at && at.getTime() < until ? at : undefined, settings, log });
  try {
    await work(postgres.ownerUrl, restoredTo, manifest);
  } finally {
    await postgres.stop();
  }
  return { base: manifest, restoredTo, files: files + others };
}

async function* partsOf(store: BackupStore, { parts }: Manifest): AsyncGenerator<Buffer> {
  for (const { name } of parts) yield await store.get(name);
}

/** Lays segments beside the database; with a time, up to the segment that reaches past it. */
async function restoreLog(
  store: BackupStore,
  pieces: readonly WalPiece[],
  at: Date | undefined,
  folder: string,
  uid: number | undefined,
): Promise<void> {
  for (const [segment, ofSegment] of Map.groupBy(pieces, (piece) => piece.segment)) {
    const handle = await open(join(folder, segment), 'w', 0o600);
    try {
      for (const { name, from } of ofSegment) {
        const content = await store.get(name);
        await handle.write(content, 0, content.length, from);
      }
      // The rest is empty, which is where the recovery ends.
      await handle.truncate(segmentBytes);
      if (uid !== undefined) await handle.chown(uid, uid);
    } finally {
      await handle.close();
    }
    if (at && ofSegment.some(({ asOf }) => asOf > at.getTime())) return;
  }
}

/** Files of the last list up to the time and of the first after it: a row never names a missing file. */
async function restoreFiles(store: BackupStore, chain: string, at: Date | undefined, folder: string): Promise<number> {
  const lists = await store.list(`${chain}/lists/`);
  const time = at?.getTime() ?? Number.POSITIVE_INFINITY;
  const after = lists.find((name) => timeOfList(name) > time);
  const before = lists.filter((name) => timeOfList(name) <= time).at(-1);
  const files = new Map<string, ListedFile>();
  for (const name of [after, before]) if (name) for (const file of await readList(store, name)) files.set(file.path, file);
  for (const { path, object } of files.values()) {
    const target = join(folder, path);
    if (!target.startsWith(`${folder}/`)) throw new Error(`The backup lists a file outside its folder: ${path}`);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, await store.get(object), { mode: 0o600 });
  }
  return files.size;
}

/** PostgreSQL reads the log that lies beside it; a command for more is required, and has none. */
async function recover(
  dataDir: string,
  { at, settings: given, log }: Pick<RestoreOptions, 'at' | 'settings' | 'log'>,
): Promise<EmbeddedPostgres> {
  const settings = { ...given, restore_command: 'false', recovery_target_action: 'promote', hot_standby: 'off' };
  const start = (target: Record<string, string>) =>
    startEmbedded({ dataDir, log, settings: { ...settings, ...target }, readyWithinMs: recoveryWithinMs });
  if (!at) return start({});
  try {
    return await start({ recovery_target_time: at.toISOString().replace('Z', '+00') });
  } catch (error) {
    // Nothing was committed after that time, so its end is the whole log.
    if (!/recovery ended before configured recovery target was reached/.test(String(error))) throw error;
    return start({});
  }
}
