/** Words of the operations page. */
import type { QueueName } from '@parapet/contract/operations.processes.ts';

export const queueLabels: Record<QueueName, string> = {
  correlation: 'Alerts to correlate',
  deliveries: 'Deliveries',
  emails: 'Emails',
  connections: 'Connections to poll',
  agentTasks: 'Agent tasks',
  bulkChanges: 'Bulk changes',
  reports: 'Reports',
  exports: 'Event exports',
  previews: 'Rule previews',
  rulePacks: 'Rule packs to read',
};

/** 850 → 850 ms, 2140 → 2.1 s. */
export const msText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`);

/** 40 → 40 s, 300 → 5 min, 7200 → 2 h, 200,000 → 2 d. */
export function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** From this age on, a queue needs attention; the alert QueueStuck has the same. */
export const stuckSeconds = 900;
/** Below this share of a disk. */
export const scarceShare = 0.1;
export const scarceDays = 14;
