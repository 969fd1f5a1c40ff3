/** Work on many rows at once, done by the server: with progress, and taken back within ten seconds after its end. */
import { z } from 'zod';
import { alertFilters } from './alerts.ts';
import { caseFilters, caseStatus } from './caseList.ts';
import { endpoint } from './endpoint.ts';
import { clientId, count, id, instant, line } from './primitives.ts';
import { because } from './suppressions.ts';

export const undoSeconds = 10;
/** More than these at once would be a rule of their own. */
export const maxSuppressions = 100;

const casesBy = z.object({
  ids: z.array(id).max(1000).optional().describe('These cases;'),
  filters: z
    .object({ ...caseFilters })
    .optional()
    .describe('or all that the list with these filters has.'),
  selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
  start: instant.describe('Opened from here on.'),
  end: instant.describe('Opened before.'),
});
const alertsBy = z.object({
  ids: z.array(id).max(1000).optional().describe('These alerts;'),
  filters: z
    .object({ ...alertFilters })
    .optional()
    .describe('or all that the list with these filters has.'),
  selectedClientOrganizationID: clientId.describe('The client; 0 for all in scope.'),
  start: instant.describe('From here on.'),
  end: instant.describe('Until before here.'),
});

export const bulkJob = z.object({
  id: z.number().int().describe('Names the work.'),
  state: z.enum(['waiting', 'running', 'done', 'failed', 'undoing', 'undone']).describe('How far it is.'),
  total: count.describe('Rows in all; of suppressing, what is to be suppressed.'),
  changed: count.describe('Rows changed so far.'),
  skipped: count.describe('Rows left as they were, because the change is not allowed for them or does nothing.'),
  faults: z.array(line).max(20).describe('Why, for the first of them.'),
  undoUntil: instant.nullable().describe('Until when it can be taken back; null when not.'),
});
export type BulkJob = z.infer<typeof bulkJob>;

export const bulkApi = {
  cases: endpoint({
    id: 'bulk.cases',
    method: 'POST',
    path: '/bulk/cases',
    allow: 'cases:changeStatus',
    freshness: 'none',
    summary: 'Changes status or analyst of many cases. Assigning needs the right to write cases.',
    body: z.object({
      which: casesBy.describe('Which cases.'),
      change: z
        .discriminatedUnion('do', [
          z.object({ do: z.literal('status').describe('Sets the status.'), caseStatus }),
          z.object({
            do: z.literal('assign').describe('Gives them to somebody.'),
            analystUserAccountID: id.nullable().describe('Who; null for nobody.'),
          }),
        ])
        .describe('What to do.'),
    }),
    answer: bulkJob,
  }),
  alerts: endpoint({
    id: 'bulk.alerts',
    method: 'POST',
    path: '/bulk/alerts',
    allow: 'alerts:mark',
    freshness: 'none',
    summary:
      'Marks many alerts as seen or unseen, or suppresses what is like them. Suppressing needs the right to write suppressions.',
    body: z.object({
      which: alertsBy.describe('Which alerts.'),
      change: z
        .discriminatedUnion('do', [
          z.object({ do: z.enum(['seen', 'unseen']).describe('Marks them.') }),
          z.object({
            do: z
              .literal('suppress')
              .describe(
                `Makes a suppression for each rule with the device and user of its alerts, at most ${maxSuppressions} at once. Undo ends them.`,
              ),
            ...because,
          }),
        ])
        .describe('What to do.'),
    }),
    answer: bulkJob,
  }),
  get: endpoint({
    id: 'bulk.get',
    method: 'GET',
    path: '/bulk/:id',
    allow: 'bulk:use',
    freshness: 'none',
    summary: 'How far one’s own work is.',
    params: z.object({ id: id.describe('The work.') }),
    answer: bulkJob,
  }),
  undo: endpoint({
    id: 'bulk.undo',
    method: 'POST',
    path: '/bulk/:id/undo',
    allow: 'bulk:use',
    freshness: 'none',
    summary: 'Takes one’s own work back: rows that nobody changed since become what they were.',
    params: z.object({ id: id.describe('The work.') }),
    answer: bulkJob,
  }),
};
