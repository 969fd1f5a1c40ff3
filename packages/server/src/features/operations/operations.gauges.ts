/** Gauges of the installation and of this process’s resources, measured when metrics are read. */
import { type DeclareGauge, setOrRemove } from '../../core/metrics.ts';
import { portalVersion } from '../../core/version.ts';

/** One measure; what a process cannot measure is left out. */
export interface Measure {
  queues?: readonly { name: string; length: number; ageSeconds: number }[];
  agents?: { online: number; total: number };
  silentSources?: number;
  databaseBytes?: number;
  disks: readonly { volume: string; freeBytes: number; sizeBytes: number }[];
  pool: { total: number; idle: number; waiting: number };
  backup?: { baseAgeSeconds?: number; logAgeSeconds?: number };
  /** Attempts of the last isolation test that returned foreign data. */
  isolationFound?: number;
  /** Feeds that are on; the age in seconds since their last successful read, absent before the first. */
  feeds?: readonly { name: string; failures: number; ageSeconds?: number }[];
}

/** The result shows a measure in place of the last one. */
export function installationGauges(gauge: DeclareGauge, { isSafeMode = false } = {}): (measure: Measure) => void {
  gauge('portal_info', 'Version of this process.', 'version').set({ version: portalVersion }, 1);
  gauge('portal_safe_mode', '1 in safe mode.').set(isSafeMode ? 1 : 0);
  const queueLength = gauge('portal_queue_length', 'Entries that wait in a queue of the installation.', 'queue');
  const queueAge = gauge('portal_queue_age_seconds', 'Age of the first entry that is due in a queue; 0 when empty.', 'queue');
  const agents = gauge('portal_agents', 'Enrolled agents: online, and total.', 'state');
  const silent = gauge('portal_silent_sources', 'Devices that stopped sending.');
  const databaseBytes = gauge('portal_database_size_bytes', 'Size of the database.');
  const diskFree = gauge('portal_disk_free_bytes', 'Free space of the disk of DATA_DIR and BACKUP_DIR.', 'volume');
  const diskSize = gauge('portal_disk_size_bytes', 'Size of the disk of DATA_DIR and BACKUP_DIR.', 'volume');
  const connections = gauge(
    'portal_database_connections',
    'Connections of the pool: busy, idle; and waiting transactions.',
    'state',
  );
  const baseAge = gauge('portal_backup_base_age_seconds', 'Seconds since the last base backup.');
  const logAge = gauge('portal_backup_log_age_seconds', 'Seconds since the commit up to which the log is backed up.');
  const isolation = gauge('portal_isolation_found', 'Attempts of the last isolation test that returned foreign data.');
  const feedAge = gauge('portal_feed_age_seconds', 'Seconds since the last successful read of a feed that is on.', 'feed');
  const feedFailures = gauge('portal_feed_failures', 'Failed reads in a row of a feed that is on.', 'feed');
  const measured: { reset(): void }[] = [
    queueLength,
    queueAge,
    agents,
    silent,
    databaseBytes,
    diskFree,
    diskSize,
    baseAge,
    logAge,
    isolation,
    feedAge,
    feedFailures,
  ];

  return ({ queues = [], disks, pool, ...state }) => {
    // A gauge without labels would read 0 after its reset.
    for (const each of measured) each.reset();
    for (const { name, length, ageSeconds } of queues) {
      queueLength.set({ queue: name }, length);
      queueAge.set({ queue: name }, ageSeconds);
    }
    for (const { volume, freeBytes, sizeBytes } of disks) {
      diskFree.set({ volume }, freeBytes);
      diskSize.set({ volume }, sizeBytes);
    }
    for (const { name, failures, ageSeconds } of state.feeds ?? []) {
      feedFailures.set({ feed: name }, failures);
      if (ageSeconds !== undefined) feedAge.set({ feed: name }, ageSeconds);
    }
    connections.set({ state: 'busy' }, pool.total - pool.idle);
    connections.set({ state: 'idle' }, pool.idle);
    connections.set({ state: 'waiting' }, pool.waiting);
    if (state.agents) {
      agents.set({ state: 'online' }, state.agents.online);
      agents.set({ state: 'total' }, state.agents.total);
    }
    setOrRemove(silent, state.silentSources);
    setOrRemove(databaseBytes, state.databaseBytes);
    setOrRemove(baseAge, state.backup?.baseAgeSeconds);
    setOrRemove(logAge, state.backup?.logAgeSeconds);
    setOrRemove(isolation, state.isolationFound);
  };
}
