/** Verdict that stands on a stored case (docs/decisions/0152-the-verdict-that-stands.md). */
import { severityOf } from '@parapet/contract/primitives.ts';
import { type Judgement, judgementOf, verdictText } from '@parapet/contract/rules/judgement.ts';
import type { Selectable } from 'kysely';
import type { Tables } from '../core/db/tables.ts';

export type JudgedCase = Pick<
  Selectable<Tables['cases']>,
  'criticality' | 'status' | 'investigation_status' | 'resolution' | 'client_answer' | 'verdict' | 'confidence'
>;

export const judgementOfCase = (record: JudgedCase): Judgement =>
  judgementOf({
    criticality: severityOf(record.criticality),
    status: record.status,
    investigationStatus: record.investigation_status,
    resolution: record.resolution,
    clientAnswer: record.client_answer && { answer: record.client_answer },
    verdict: record.verdict,
    confidenceScore: record.confidence,
  });

/** Last sentence of a summary, as decisioning writes it. */
const verdictSentence = /(?<=^| )Verdict: [^.]{1,100}\.$/;

/** Summary of the case with the verdict that stands in place of decisioning’s. */
export const summaryOfCase = (record: JudgedCase & { summary: string }): string =>
  record.summary.replace(verdictSentence, () => `Verdict: ${verdictText(judgementOfCase(record))}.`);
