/** Case reviews: second-analyst review of closed cases (spec §2.7, §3, §4, §7.4). */
import { z } from 'zod';
import { allClients } from './access.ts';
import { caseRow, verdict } from './caseList.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, page, paragraph, results, severity } from './primitives.ts';
import { queryParam } from './query.ts';

const caseID = id.describe('Case ID.');
const decisionId = z.number().int().min(12).max(17);

export const reviewRow = z.object({
  id: z.number().int().describe('Review ID.'),
  caseID: z.number().int().describe('Case ID.'),
  title: line.describe('Title.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Organisation name.'),
  criticality: severity,
  decisionID: decisionId.describe('Decision code: 12 Partner, 13 Client, 14 Pending, 15 Malicious, 16 SOC (AG), 17 Benign.'),
  statusTypeName: line.describe('Display name of the decision, shown as the review’s status.'),
  analystName: line.describe('Reviewer: first initial and surname; empty if unassigned.'),
  analystUserAccountID: z.number().int().nullable().describe('User ID of the reviewer.'),
  closedBy: line.describe('Closed by.'),
  caseClosedDate: instant.nullable().describe('Time of closing; null while the case is reopened.'),
  caseStatus: caseRow.shape.status,
  investigationStatus: caseRow.shape.investigationStatus,
  verdict: verdict.nullable().describe('Verdict of decisioning.'),
  confidenceScore: caseRow.shape.confidenceScore,
  isAIDecisioningCorrect: z.boolean().nullable().describe('Judgement of the reviewer; null before.'),
  aiDecisioningNotes: paragraph.describe('Notes of the reviewer on decisioning.'),
  notes: paragraph.describe('Notes of the reviewer on the decision.'),
});
export type ReviewRow = z.infer<typeof reviewRow>;

const filter = z.object({
  clientOrganizationID: clientId.default(allClients).describe('The client; 0 for all in scope.'),
  decisionIDs: z.array(decisionId).max(6).default([]).describe('Filter by decision.'),
  analystIDs: z
    .array(z.number().int().min(0).max(2_147_483_647))
    .max(50)
    .default([])
    .describe('Filter by reviewer; 0 for unassigned.'),
  verdicts: z.array(verdict).max(5).default([]).describe('Filter by verdict of decisioning.'),
  start: instant.optional().describe('Closed at or after.'),
  end: instant.optional().describe('Closed before.'),
  text: z.string().trim().max(200).default('').describe('Substring of the title or client, or a case number.'),
  query: queryParam('review'),
});
export type ReviewFilter = z.infer<typeof filter>;

export const reviewsApi = {
  list: endpoint({
    id: 'reviews.list',
    route: 'POST /CaseReview/caseReviewList',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Lists reviews of closed cases, newest first.',
    body: z.object({
      filter: filter.default(() => filter.parse({})).describe('Filters.'),
      page: page.page,
      pageSize: z.number().int().min(1).max(200).default(10).describe('Reviews per page.'),
    }),
    answer: results(reviewRow, 200),
  }),
  analysts: endpoint({
    id: 'reviews.analysts',
    route: 'GET /CaseReview/analysts',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Lists possible reviewers: Hosts and partner analysts in scope.',
    answer: results(
      z.object({
        id: z.number().int().describe('User ID.'),
        firstName: line.describe('First name.'),
        lastName: line.describe('Last name.'),
        clientOrganizationID: organisationId.describe('Organisation ID.'),
      }),
      1000,
    ),
  }),
  updateAnalyst: endpoint({
    id: 'reviews.updateAnalyst',
    route: 'POST /CaseReview/updateAnalyst',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Assigns a review.',
    body: z.object({
      caseID,
      AnalystUserAccountID: id.nullable().describe('Reviewer; null for unassigned.'),
      ID: id.describe('Review ID.'),
    }),
    answer: reviewRow,
  }),
  updateDecision: endpoint({
    id: 'reviews.updateDecision',
    route: 'POST /CaseReview/updateDecision',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Records the decision of a review. Malicious and Benign become training outcomes of decisioning.',
    body: z.object({
      ID: id.describe('Review ID.'),
      decisionID: decisionId.describe('Decision code.'),
      notes: z.string().trim().max(20_000).default('').describe('Notes on the decision.'),
    }),
    answer: reviewRow,
  }),
  markIncorrect: endpoint({
    id: 'reviews.markIncorrect',
    route: 'POST /CaseReview/updateInvestigationStatusIncorrect',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Marks the conclusion of an investigation as incorrect and reopens the case.',
    body: z.object({ caseID, notes: z.string().trim().max(20_000).default('').describe('Description of the error.') }),
    answer: z.object({ case: caseRow.describe('The case after the change.') }),
  }),
  updateDecisioningCorrectness: endpoint({
    id: 'reviews.updateDecisioningCorrectness',
    route: 'POST /CaseReview/updateAIDecisioningCorrectness',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Records whether decisioning was correct for a case.',
    body: z.object({
      caseID,
      currentUserID: id.optional().describe('Ignored: the signed-in user applies.'),
      notes: z.string().trim().max(20_000).default('').describe('Notes on the judgement.'),
      isAIDecisioningCorrect: z.boolean().describe('True when decisioning was correct.'),
    }),
    answer: nothing,
  }),
  calibration: endpoint({
    id: 'reviews.calibration',
    route: 'GET /CaseReview/calibration/:client',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Compares predicted with reviewed verdicts, by confidence.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      bins: z
        .array(
          z.object({
            verdict,
            from: count.describe('Lower bound of the confidence, inclusive.'),
            to: count.describe('Upper bound of the confidence, inclusive.'),
            cases: count.describe('Reviewed cases.'),
            correct: count.describe('Cases whose review agreed.'),
          }),
        )
        .max(60)
        .describe('Bins by verdict and confidence.'),
      reviewed: count.describe('Reviewed cases with a verdict other than Insufficient Information.'),
      agreed: count.describe(
        'Cases whose review agreed: Malicious with Malicious and Suspicious, Benign with Benign and Likely Benign.',
      ),
      brier: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .describe('Brier score of the predicted probability of malicious; 0 is perfect, null without data.'),
    }),
  }),
};
