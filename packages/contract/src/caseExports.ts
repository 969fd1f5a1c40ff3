/** Files of one case. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id } from './primitives.ts';
import { tlps } from './rules/stix.ts';

export const caseExports = {
  exportJson: endpoint({
    id: 'cases.exportJson',
    route: 'GET /case/:caseId/json',
    allow: 'cases:read',
    freshness: 'none',
    sensitive: 'caseFiles',
    summary: 'Exports a case as JSON: the detail as visible to the caller, with all of its alerts.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answers: 'file',
    answer: nothing,
  }),
  exportPdf: endpoint({
    id: 'cases.exportPdf',
    route: 'GET /case/:caseId/pdf',
    allow: 'cases:read',
    freshness: 'none',
    sensitive: 'caseFiles',
    summary: 'Exports a case as a PDF report in the partner’s brand.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    answers: 'file',
    answer: nothing,
  }),
  exportStix: endpoint({
    id: 'cases.exportStix',
    route: 'GET /case/:caseId/stix',
    allow: 'cases:read',
    freshness: 'none',
    sensitive: 'caseFiles',
    summary:
      'Exports a case as a STIX 2.1 bundle: what was observed, indicators and techniques, as its client may see them, without notes and names of analysts.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    query: z.object({ tlp: z.enum(tlps).default('amber').describe('Traffic Light Protocol mark of every object.') }),
    answers: 'file',
    answer: nothing,
  }),
  exportArchive: endpoint({
    id: 'cases.exportArchive',
    route: 'GET /case/:caseId/archive',
    allow: 'cases:read',
    freshness: 'none',
    sensitive: 'caseFiles',
    summary:
      'Exports a case as a signed ZIP archive: case, story, timeline, evidence events, report and audit extract, with a manifest of SHA-256 hashes.',
    params: z.object({ caseId: id.describe('Case ID.') }),
    query: z.object({
      contents: z
        .enum(['client', 'all'])
        .default('client')
        .describe('client: only what the client may read; all: what the caller may read, with internal notes.'),
    }),
    answers: 'file',
    answer: nothing,
  }),
};
