/** Archived events brought back for a case: searchable like others until they are released or their time is over. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { count, id, instant, line, name } from './primitives.ts';
import { maxSearchDays } from './rules/values.ts';

const day = z.iso.date().max(10);
const ofCase = z.object({ caseId: id.describe('The case.') });
/** Days (UTC) of one recall at most: those of a search. */
export const maxRecallDays = maxSearchDays;

const recall = z.object({
  id: id.describe('ID of the recall.'),
  firstDay: day.describe('First day (UTC).'),
  lastDay: day.describe('Last day.'),
  requestedBy: name.describe('Requester.'),
  requestedAt: instant.describe('Time of the request.'),
  expiresAt: instant.describe('Time of its automatic release.'),
  state: z
    .enum(['loading', 'ready', 'released'])
    .describe('loading while files are read, ready when all events can be searched, released afterwards.'),
  files: count.describe('Files of the archive in the range; 0 once released.'),
  loadedFiles: count.describe('Files whose events can be searched.'),
  events: count.describe('Events in these files.'),
  failure: line.describe('Reason why events are missing; empty without one.'),
  releasedAt: instant.nullable().describe('Time of the release; null before.'),
});
export type Recall = z.infer<typeof recall>;

const caseRecalls = z.object({
  archive: z
    .object({
      firstDay: day.nullable().describe('First archived day of the client; null without an archive.'),
      lastDay: day.nullable().describe('Last archived day.'),
      events: count.describe('Archived events.'),
    })
    .describe('Archive of the client.'),
  recalls: z.array(recall).max(100).describe('The newest recalls of the case, newest first.'),
});
export type CaseRecalls = z.infer<typeof caseRecalls>;

export const recallsApi = {
  list: endpoint({
    id: 'recalls.list',
    route: 'GET /cases/:caseId/recalls',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Lists what was brought back from the archive for a case, and what the archive of its client has.',
    params: ofCase,
    answer: caseRecalls,
  }),
  request: endpoint({
    id: 'recalls.request',
    route: 'POST /cases/:caseId/recalls',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Brings archived days of the client back for a case. A job makes them searchable within minutes.',
    params: ofCase,
    body: z.object({
      firstDay: day.describe('First day (UTC).'),
      lastDay: day.describe('Last day.'),
      keepDays: z.number().int().min(1).max(90).describe('Days until the automatic release.'),
    }),
    answer: caseRecalls,
  }),
  release: endpoint({
    id: 'recalls.release',
    route: 'POST /cases/:caseId/recalls/:id/release',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Releases a recall: its events leave the search and stay in the archive.',
    params: ofCase.extend({ id: id.describe('The recall.') }),
    answer: caseRecalls,
  }),
};
