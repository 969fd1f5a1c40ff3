/** Processes, queues, slow operations, failures and capacity of the installation. */
import { z } from 'zod';
import { count, instant, line, organisationId } from './primitives.ts';

export const installationProcess = z.object({
  host: line.describe('Host name.'),
  pid: count.describe('Process ID.'),
  roles: z
    .array(z.enum(['api', 'ingest', 'worker']))
    .max(3)
    .describe('Roles.'),
  version: line.describe('Version of the portal.'),
  node: line.describe('Version of Node.'),
  startedAt: instant.describe('Start.'),
  seenAt: instant.describe('Last heartbeat; one is sent every 15 seconds.'),
  isLive: z.boolean().describe('True with a heartbeat within the last minute.'),
  isSafeMode: z.boolean().describe('True in safe mode.'),
  cpuPercent: count.describe('Use of one processor since the heartbeat before.'),
  residentBytes: count.describe('Memory of the process.'),
  heapBytes: count.describe('Used heap.'),
  eventLoopMs: count.describe('p99 of the event loop’s delay since the heartbeat before, in milliseconds.'),
  poolBusy: count.describe('Database connections in use.'),
  poolSize: count.describe('Maximum number of database connections.'),
  poolWaiting: count.describe('Transactions that wait for a connection.'),
});
export type InstallationProcess = z.infer<typeof installationProcess>;

export const queueNames = [
  'correlation',
  'deliveries',
  'emails',
  'connections',
  'agentTasks',
  'bulkChanges',
  'reports',
  'exports',
  'previews',
  'rulePacks',
] as const;
export type QueueName = (typeof queueNames)[number];

export const queue = z.object({
  name: z.enum(queueNames).describe('Queue.'),
  length: count.describe('Entries that are due.'),
  ageSeconds: z.number().min(0).describe('Seconds since the first of them is due; 0 when empty.'),
});
export type Queue = z.infer<typeof queue>;

export const slowOperation = z.object({
  operation: line.describe('Endpoint of the API, or method and pattern of another route.'),
  count: count.describe('Calls within the last 15 minutes, at most the last 200 of each process.'),
  medianMs: count.describe('Median duration in milliseconds.'),
  p95Ms: count.describe('95th percentile in milliseconds.'),
  maxMs: count.describe('Longest duration in milliseconds.'),
});

export const installationFailure = z.object({
  at: instant.describe('Time.'),
  operation: line.describe('Operation, or job and its name.'),
  status: count.nullable().describe('HTTP status; null for jobs.'),
  requestId: line.describe('Request ID in the log; empty for jobs.'),
  traceId: line.describe('Trace ID; empty without tracing.'),
  text: line.describe('Error of a job; empty for requests.'),
});

export const sourceWarning = z.object({
  kind: z.enum(['feed', 'connection']).describe('Feed for all clients, or connection of one client.'),
  name: line.describe('Name.'),
  clientOrganizationID: organisationId.nullable().describe('Organisation of a connection; null for a feed.'),
  client: line.describe('Its name; empty for a feed.'),
  state: z
    .enum(['failing', 'stopped', 'old'])
    .describe('failing and tried again, stopped because access was refused, or old: not read for too long without an error.'),
  error: line.describe('Newest error in words; empty without one.'),
  readAt: instant.nullable().describe('Newest success; null before the first.'),
});
export type SourceWarning = z.infer<typeof sourceWarning>;

export const capacity = z.object({
  databaseBytes: count.describe('Size of the database.'),
  bytesPerDay: z.number().nullable().describe('Growth of the database per day over 30 days; null before the second day.'),
  disks: z
    .array(
      z.object({
        volume: z.enum(['data', 'backup']).describe('data for DATA_DIR, backup for BACKUP_DIR.'),
        freeBytes: count.describe('Free space.'),
        sizeBytes: count.describe('Size.'),
        daysLeft: count.nullable().describe('Days until it is full at the pace of 30 days; null when not shrinking or unknown.'),
      }),
    )
    .max(2)
    .describe('Disks, as seen by the process that answers.'),
  agentsOnline: count.describe('Agents online.'),
  agents: count.describe('Enrolled agents.'),
  silentSources: count.describe('Devices that stopped sending.'),
  clickHouseLagSeconds: z
    .number()
    .min(0)
    .nullable()
    .describe('Seconds that events wait for ClickHouse; null without ClickHouse.'),
});
export type Capacity = z.infer<typeof capacity>;
