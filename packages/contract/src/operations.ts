/** Operation of the installation: backups, and the pause after a restore. For the provider’s Host. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import {
  capacity,
  installationFailure,
  installationProcess,
  queue,
  slowOperation,
  sourceWarning,
} from './operations.processes.ts';
import { count, instant, line } from './primitives.ts';

export const backupRunKinds = ['base', 'verification'] as const;

const backupRun = z.object({
  kind: z.enum(backupRunKinds).describe('base for a base backup, verification for a restore into a second instance.'),
  startedAt: instant.describe('Start.'),
  endedAt: instant.describe('End.'),
  bytes: count.describe('Encrypted size of a base backup; 0 for a verification.'),
  error: line.describe('Error; empty when it succeeded.'),
  note: line.describe('Result of a verification; otherwise empty.'),
});
export type BackupRun = z.infer<typeof backupRun>;

export const backupState = z.object({
  kind: z
    .enum(['continuous', 'none', 'external'])
    .describe(
      'continuous, none where no backup is configured, external where PostgreSQL runs elsewhere and is backed up by its tools.',
    ),
  target: line.describe('Folder or bucket; empty without.'),
  archivedUntil: instant.nullable().describe('Every commit before this time is stored; null before the first.'),
  error: line.describe('Error of the last attempt; empty when it succeeded.'),
  isRequested: z.boolean().describe('True while a requested base backup waits or is being taken.'),
  runs: z.array(backupRun).max(50).describe('Base backups and verifications, newest first.'),
});
export type BackupState = z.infer<typeof backupState>;

const restoration = z.object({
  restoredAt: instant.describe('Time of the restore.'),
  restoredTo: instant.describe('State that was restored: commits before this time.'),
  releasedAt: instant.nullable().describe('Release; null while deliveries, connections and agent tasks are paused.'),
  releasedBy: line.describe('Name of the Host who released it; empty before.'),
});

export const operationsState = z.object({
  isSafeMode: z.boolean().describe('True in safe mode: no jobs, workers, connections, deliveries, emails and agent tasks.'),
  version: line.describe('Version of the portal.'),
  databaseVersion: line.describe('Version of PostgreSQL.'),
  processes: z
    .array(installationProcess)
    .max(100)
    .describe('Processes seen within a day; those that ended cleanly are left out.'),
  queues: z.array(queue).max(20).describe('Queues.'),
  operations: z.array(slowOperation).max(20).describe('Slowest operations of the last 15 minutes, by p95.'),
  failures: z
    .array(installationFailure)
    .max(20)
    .describe('Last failed requests (5xx) and jobs since the start of their process, newest first.'),
  sources: z
    .array(sourceWarning)
    .max(100)
    .describe(
      'Feeds and connections that fail or are old, feeds first, then those that were read longest ago. Paused ones are left out.',
    ),
  capacity: capacity.describe('Size and growth.'),
  backup: backupState.describe('Backups.'),
  restoration: restoration.nullable().describe('Last restore of this database; null if it never was.'),
});
export type OperationsState = z.infer<typeof operationsState>;

export const operationsApi = {
  get: endpoint({
    id: 'operations.get',
    route: 'GET /operations',
    allow: 'operations:read',
    freshness: 'none',
    summary: 'Returns the state of the installation. For the provider’s Host.',
    answer: operationsState,
  }),
  mode: endpoint({
    id: 'operations.mode',
    route: 'GET /operations/mode',
    allow: 'operations:read',
    freshness: 'none',
    summary: 'Returns what holds back work of the installation. For the provider’s Host.',
    answer: z.object({
      isSafeMode: z.boolean().describe('True in safe mode.'),
      isPaused: z.boolean().describe('True while a restored portal is paused.'),
    }),
  }),
  backUp: endpoint({
    id: 'operations.backUp',
    route: 'POST /operations/backup',
    allow: 'installation:write',
    freshness: 'none',
    summary: 'Requests a base backup now. For the provider’s Host.',
    answer: nothing,
  }),
  release: endpoint({
    id: 'operations.release',
    route: 'POST /operations/release',
    allow: 'installation:write',
    freshness: 'fresh',
    summary:
      'Ends the pause after a restore: deliveries, connections, agent tasks and earlier emails continue. For the provider’s Host.',
    answer: nothing,
  }),
};
