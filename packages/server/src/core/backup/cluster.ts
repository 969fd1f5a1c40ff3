/** Copy of a PostgreSQL that works: between pg_backup_start and pg_backup_stop, without what PostgreSQL’s own base backups leave out. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { createPacker } from './entries.ts';

/** Their content is of a running server only. */
const emptied = new Set([
  ...['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans'],
]);
const leftOut =
  /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label.*|tablespace_map.*|postgresql\.auto\.conf\.tmp|current_logfiles\.tmp|.*\.signal)$/;
/** Of the data folder itself: connection and log of a running server, notes of running processes. */
const notOfData = /^(postgres\.(json|log|path)|portal\.json|.*\.new)$/;

interface Copy {
  clusterDir: string;
  dataDir: string;
  label: string;
  putPart(part: Buffer): Promise<void>;
}

export async function copyCluster(
  client: pg.Client,
  { clusterDir, dataDir, label, putPart }: Copy,
): Promise<{ startLsn: string; endLsn: string; files: number }> {
  const { rows } = await client.query<{ lsn: string }>('select pg_backup_start($1, true)::text as lsn', [label]);
  const startLsn = rows[0]?.lsn as string;
  let files = 0;
  const packer = createPacker(putPart);

  async function copyFolder(path: string): Promise<void> {
    const source = join(clusterDir, path);
    const entries = await readdir(source, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    await packer.folder(join('postgres', path));
    if (emptied.has(path)) return;
    for (const entry of entries) {
      const below = join(path, entry.name);
      if (entry.isDirectory()) await copyFolder(below);
      else if (entry.isSymbolicLink())
        throw new Error(`${join(source, entry.name)} leads elsewhere, which a backup cannot follow.`);
      else if (entry.isFile() && !leftOut.test(entry.name) && below !== join('global', 'pg_control'))
        if (await packer.file(join('postgres', below), join(clusterDir, below))) files += 1;
    }
  }

  let endLsn: string;
  try {
    for (const entry of await readdir(dataDir, { withFileTypes: true }))
      if (entry.isFile() && !notOfData.test(entry.name))
        files += Number(await packer.file(entry.name, join(dataDir, entry.name)));
    await copyFolder('');
    await packer.bytes('postgres/global/pg_control', await readControl(clusterDir));
  } finally {
    const stopped = await client.query<{ lsn: string; label: string }>(
      'select lsn::text as lsn, labelfile as label from pg_backup_stop(false)',
    );
    endLsn = stopped.rows[0]?.lsn as string;
    await packer.bytes('postgres/backup_label', Buffer.from(stopped.rows[0]?.label as string));
  }
  await packer.end();
  return { startLsn, endLsn, files: files + 2 };
}

/** Read until two readings agree, because it may be written in between. */
async function readControl(clusterDir: string): Promise<Buffer> {
  const path = join(clusterDir, 'global', 'pg_control');
  for (let before = await readFile(path); ; await pause(20)) {
    const again = await readFile(path);
    if (again.equals(before)) return again;
    before = again;
  }
}
