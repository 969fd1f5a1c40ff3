/** Bulk jobs, executed by the server with progress, and an undo within ten seconds of their end. */
import { z } from 'zod';
import { alertFilters } from './alerts.ts';
import { resolving } from './caseClosing.ts';
import { caseFilters, caseStatus } from './caseList.ts';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line } from './primitives.ts';
import { because } from './suppressions.ts';

export const undoSeconds = 10;
/** Limit of suppressions per job; more than that would be a rule. */
export const maxSuppressions = 100;

const casesBy = z.object({
  ids: z.array(id).max(1000).optional().describe('Case IDs;'),
  filters: z
    .object({ ...caseFilters })
    .optional()
    .describe('or all rows that match these filters.'),
  selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
  start: instant.describe('Opened at or after.'),
  end: instant.describe('Opened before.'),
});
const alertsBy = z.object({
  ids: z.array(id).max(1000).optional().describe('Alert IDs;'),
  filters: z
    .object({ ...alertFilters })
    .optional()
    .describe('or all rows that match these filters.'),
  selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
  start: instant.describe('Start, inclusive.'),
  end: instant.describe('End, exclusive.'),
});

export const bulkJob = z.object({
  id: z.number().int().describe('Job ID.'),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'undoing', 'undone']).describe('State.'),
  total: count.describe('Rows in total; for suppression, entries to suppress.'),
  changed: count.describe('Rows changed so far.'),
  skipped: count.describe('Rows left unchanged because the change is not permitted or has no effect.'),
  faults: z.array(line).max(20).describe('Reasons of the first skipped rows.'),
  undoUntil: instant.nullable().describe('Undo deadline; null if it cannot be undone.'),
});
export type BulkJob = z.infer<typeof bulkJob>;

export const bulkApi = {
  cases: endpoint({
    id: 'bulk.cases',
    route: 'POST /bulk/cases',
    allow: 'cases:changeStatus',
    freshness: 'none',
    summary: 'Changes the status or analyst of many cases. Assignment requires cases:write.',
    body: z.object({
      which: casesBy.describe('Selected cases.'),
      change: z
        .discriminatedUnion('do', [
          z.object({
            do: z.literal('status').describe('Sets the status.'),
            caseStatus,
            closing: z
              .object(resolving)
              .optional()
              .describe('Resolution of a closing status. Critical and malicious cases with open items are skipped then.'),
          }),
          z.object({
            do: z.literal('assign').describe('Assigns an analyst.'),
            analystUserAccountID: id.nullable().describe('Analyst; null for unassigned.'),
          }),
        ])
        .describe('Change to apply.'),
    }),
    answer: bulkJob,
  }),
  alerts: endpoint({
    id: 'bulk.alerts',
    route: 'POST /bulk/alerts',
    allow: 'alerts:mark',
    freshness: 'none',
    summary: 'Marks many alerts as seen or unseen, or suppresses similar ones. Suppression requires suppressions:write.',
    body: z.object({
      which: alertsBy.describe('Selected alerts.'),
      change: z
        .discriminatedUnion('do', [
          z.object({ do: z.enum(['seen', 'unseen']).describe('Marks the alerts.') }),
          z.object({
            do: z
              .literal('suppress')
              .describe(
                `Makes a suppression for each rule with the device and user of its alerts, at most ${maxSuppressions} at once. Undo ends them.`,
              ),
            ...because,
          }),
        ])
        .describe('Change to apply.'),
    }),
    answer: bulkJob,
  }),
  get: endpoint({
    id: 'bulk.get',
    route: 'GET /bulk/:id',
    allow: 'bulk:use',
    freshness: 'none',
    summary: 'Returns the progress of one of the caller’s jobs.',
    params: z.object({ id: id.describe('Job ID.') }),
    answer: bulkJob,
  }),
  undo: endpoint({
    id: 'bulk.undo',
    route: 'POST /bulk/:id/undo',
    allow: 'bulk:use',
    freshness: 'none',
    summary: 'Undoes one of the caller’s jobs: rows unchanged since are restored.',
    params: z.object({ id: id.describe('Job ID.') }),
    answer: bulkJob,
  }),
};
