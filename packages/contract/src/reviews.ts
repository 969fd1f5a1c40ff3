/** Case reviews: a second person looks at what was decided (spec §2.7, §3, §4, §7.4). */
import { z } from 'zod';
import { caseRow, verdict } from './caseList.ts';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, count, id, instant, line, name, organisationId, page, paragraph, results, severity } from './primitives.ts';

const caseID = id.describe('The case.');
const decisionId = z.number().int().min(12).max(17);

export const reviewRow = z.object({
  id: z.number().int().describe('Names the review.'),
  caseID: z.number().int().describe('The case.'),
  title: line.describe('What happened.'),
  clientOrganizationID: organisationId.describe('The client.'),
  clientOrganizationName: name.describe('Its name.'),
  criticality: severity,
  decisionID: decisionId.describe(
    'The decision’s code: 12 Partner, 13 Client, 14 Pending, 15 Malicious, 16 SOC (AG), 17 Benign.',
  ),
  statusTypeName: line.describe('The decision in words, shown as the review’s status.'),
  analystName: line.describe('Who reviews: first initial and surname; empty for nobody.'),
  analystUserAccountID: z.number().int().nullable().describe('Who reviews, as id.'),
  closedBy: line.describe('Who closed the case.'),
  caseClosedDate: instant.nullable().describe('When the case was closed; null while it is open again.'),
  caseStatus: caseRow.shape.status,
  investigationStatus: caseRow.shape.investigationStatus,
  verdict: verdict.nullable().describe('What decisioning said.'),
  confidenceScore: z.number().int().min(0).max(100).nullable().describe('How sure it was.'),
  isAIDecisioningCorrect: z.boolean().nullable().describe('What the reviewer said of that; null before.'),
  aiDecisioningNotes: paragraph.describe('The reviewer’s notes on it.'),
  notes: paragraph.describe('The reviewer’s notes on the decision.'),
});
export type ReviewRow = z.infer<typeof reviewRow>;

const filter = z.object({
  clientOrganizationID: clientId.default(0).describe('The client; 0 for all in scope.'),
  decisionIDs: z.array(decisionId).max(6).default([]).describe('Only these decisions.'),
  analystIDs: z
    .array(z.number().int().min(0).max(2_147_483_647))
    .max(50)
    .default([])
    .describe('Only these reviewers; 0 for none.'),
  verdicts: z.array(verdict).max(3).default([]).describe('Only these verdicts of decisioning.'),
  start: instant.optional().describe('Closed from here on.'),
  end: instant.optional().describe('Closed before.'),
  text: z.string().trim().max(200).default('').describe('Part of the title or client, or a case’s number.'),
});
export type ReviewFilter = z.infer<typeof filter>;

export const reviewsApi = {
  list: endpoint({
    id: 'reviews.list',
    method: 'POST',
    path: '/CaseReview/caseReviewList',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Reviews of closed cases, newest first.',
    body: z.object({
      filter: filter.default(() => filter.parse({})).describe('Which reviews.'),
      page: page.page,
      pageSize: z.number().int().min(1).max(200).default(10).describe('Reviews a page.'),
    }),
    answer: results(reviewRow, 200),
  }),
  analysts: endpoint({
    id: 'reviews.analysts',
    method: 'GET',
    path: '/CaseReview/analysts',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Who can review: Hosts and partner analysts in scope.',
    answer: results(
      z.object({
        id: z.number().int().describe('Names the user.'),
        firstName: line.describe('First name.'),
        lastName: line.describe('Last name.'),
        clientOrganizationID: organisationId.describe('The organisation.'),
      }),
      1000,
    ),
  }),
  updateAnalyst: endpoint({
    id: 'reviews.updateAnalyst',
    method: 'POST',
    path: '/CaseReview/updateAnalyst',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Gives a review to somebody.',
    body: z.object({
      caseID,
      AnalystUserAccountID: id.nullable().describe('Who; null for nobody.'),
      ID: id.describe('The review.'),
    }),
    answer: reviewRow,
  }),
  updateDecision: endpoint({
    id: 'reviews.updateDecision',
    method: 'POST',
    path: '/CaseReview/updateDecision',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Decides a review. Malicious and Benign feed the outcomes that decisioning learns from.',
    body: z.object({
      ID: id.describe('The review.'),
      decisionID: decisionId.describe('The decision’s code.'),
      notes: z.string().trim().max(20_000).default('').describe('Why.'),
    }),
    answer: reviewRow,
  }),
  markIncorrect: endpoint({
    id: 'reviews.markIncorrect',
    method: 'POST',
    path: '/CaseReview/updateInvestigationStatusIncorrect',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Marks how an investigation ended as incorrect, and opens the case again.',
    body: z.object({ caseID, notes: z.string().trim().max(20_000).default('').describe('What was wrong.') }),
    answer: z.object({ case: caseRow.describe('The case as it stands now.') }),
  }),
  updateDecisioningCorrectness: endpoint({
    id: 'reviews.updateDecisioningCorrectness',
    method: 'POST',
    path: '/CaseReview/updateAIDecisioningCorrectness',
    allow: 'cases:write',
    freshness: 'none',
    summary: 'Says whether decisioning was right about a case.',
    body: z.object({
      caseID,
      currentUserID: id.optional().describe('Ignored: the signed-in user counts.'),
      notes: z.string().trim().max(20_000).default('').describe('Why.'),
      isAIDecisioningCorrect: z.boolean().describe('Whether it was right.'),
    }),
    answer: nothing,
  }),
  calibration: endpoint({
    id: 'reviews.calibration',
    method: 'GET',
    path: '/CaseReview/calibration/:client',
    allow: 'reviews:use',
    freshness: 'none',
    summary: 'Predicted against reviewed: how often cases of each confidence were what decisioning said.',
    params: z.object({ client: clientId.describe('The client; 0 for all in scope.') }),
    answer: z.object({
      bins: z
        .array(
          z.object({
            verdict,
            from: count.describe('Confidence from, inclusive.'),
            to: count.describe('Confidence to, inclusive.'),
            cases: count.describe('Reviewed cases in it.'),
            correct: count.describe('Those whose review agreed.'),
          }),
        )
        .max(60)
        .describe('By verdict and confidence.'),
      reviewed: count.describe('Reviewed cases with a verdict of Benign or Malicious.'),
      agreed: count.describe('Those whose review agreed.'),
      brier: z
        .number()
        .min(0)
        .max(1)
        .nullable()
        .describe('Brier score of the predicted probability of malicious; 0 is perfect, null without any.'),
    }),
  }),
};
