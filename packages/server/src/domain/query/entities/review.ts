/** Reviews of closed cases, as the Case Reviews page lists them. */
import { decisionResultTypes, outcomeOfVerdict, verdicts } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, sql } from 'kysely';
import {
  column,
  inScope,
  mapped,
  minutesSince,
  organisationAttributes,
  severityAttribute,
  timeParts,
  wordsOf,
} from '../attributes.ts';
import { isPerson, personName } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { caseSchema, decisioningVerdicts } from './case.ts';
import { addressOf, clientKey, isViewer, of } from './columns.ts';

type Row = RawBuilder<unknown>;
type DecisionName = (typeof decisionResultTypes)[number]['name'];

const decisionWords: Record<DecisionName, readonly string[]> = {
  Partner: ['partner', 'for the partner'],
  Client: ['client', 'for the client'],
  Pending: ['pending', 'pending decision', 'not decided', 'awaiting decision'],
  Malicious: ['malicious', 'real', 'true positive', 'bad'],
  'SOC (AG)': ['soc', 'soc (ag)', 'for the soc', 'ag'],
  Benign: ['benign', 'harmless', 'false positive', 'good'],
};
const decisionNames = Object.fromEntries(decisionResultTypes.map(({ id, name }) => [id, name]));
const maliciousVerdicts = verdicts.filter((verdict) => outcomeOfVerdict(verdict) === 'malicious');

const reviewer = { id: 'analyst_user_id', name: 'analyst_name' };

/** The decision, or the closing of the case while it is pending. */
const reviewTime = (row: Row) => sql`coalesce(${row}.decided_at, ${row}.case_closed_at)`;

export const reviewSchema: EntitySchema = {
  entity: 'review',
  title: ['case review', 'case reviews'],
  words: wordsOf(
    'review, case review, second look, decision, second opinion, peer review, qa review, quality review, case decision, second pair of eyes',
  ),
  allow: 'reviews:use',
  named: 'title',
  from: (
    row,
  ) => sql`(select r.*, c.title, c.criticality, c.status, c.investigation_status, c.verdict, c.confidence, c.is_decision_correct,
      c.decision_notes, c.closed_at, c.closed_by, c.closed_by_name
    from case_reviews r join cases c on c.id = r.case_id) ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'at',
  attributes: {
    case: {
      type: 'number',
      title: 'case',
      words: ['case', 'case number', 'incident', 'case id'],
      column: 'caseID',
      isShown: true,
      sql: of('case_id'),
    },
    title: { type: 'text', title: 'title', words: ['title', 'subject'], isShown: true, sql: of('title') },
    ...organisationAttributes(),
    severity: { ...severityAttribute, column: 'criticality' },
    decision: {
      type: 'choice',
      choices: decisionWords,
      title: 'decision',
      words: ['decision', 'result', 'outcome', 'review result', 'status', 'state'],
      column: 'statusTypeName',
      isShown: true,
      sql: (row) => mapped(column(row, 'decision_id'), decisionNames),
    },
    isDecided: {
      type: 'flag',
      title: 'decided',
      words: ['decided review'],
      yes: ['decided', 'done', 'finished', 'completed', 'reviewed'],
      no: ['undecided', 'unreviewed', 'outstanding', 'open', 'waiting', 'unfinished', 'not reviewed', 'still to do'],
      sql: (row) => sql`${row}.decided_at is not null`,
    },
    reviewer: {
      type: 'name',
      names: 'account',
      title: 'reviewer',
      words: ['reviewer', 'reviewed by', 'who reviewed', 'analyst', 'assignee', 'second analyst', 'owner'],
      column: 'analystName',
      isShown: true,
      sql: (row, context) => personName(row, reviewer, context),
      matches: (row, context, values) => isPerson(row, reviewer, context, values),
    },
    isAssigned: {
      type: 'flag',
      title: 'assigned',
      words: ['assignment'],
      yes: ['assigned', 'with a reviewer'],
      no: ['unassigned', 'not assigned', 'without a reviewer', 'nobody reviews', 'unowned'],
      column: 'analystUserAccountID',
      sql: (row) => sql`${row}.analyst_user_id is not null`,
    },
    isMine: {
      type: 'flag',
      title: 'assigned to me',
      words: ['own review'],
      yes: ['mine', 'my', 'assigned to me', 'i reviewed'],
      no: ['not mine', 'not by me'],
      sql: isViewer('analyst_user_id'),
    },
    at: {
      type: 'time',
      title: 'time of the decision, or of closing while pending',
      words: ['review time', 'date'],
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      sql: reviewTime,
    },
    decidedAt: {
      type: 'time',
      title: 'decided',
      words: ['decision time', 'time of the decision'],
      verbs: ['decided', 'reviewed', 'done', 'completed', 'finished'],
      sql: of('decided_at'),
    },
    caseClosedDate: {
      type: 'time',
      title: 'case closed',
      words: ['closing time', 'case closed date', 'closing date'],
      verbs: ['closed', 'case closed'],
      isShown: true,
      sql: of('case_closed_at'),
    },
    closedBy: caseSchema.attributes.closedBy!,
    waitingTime: {
      type: 'number',
      unit: 'minutes',
      title: 'waiting since the case closed',
      words: ['waiting time', 'wait', 'backlog age'],
      sql: (row, context) =>
        sql`case when ${row}.decided_at is null then ${minutesSince(column(row, 'case_closed_at'), context)} end`,
    },
    caseStatus: { ...caseSchema.attributes.status!, title: 'case status', words: ['case status', 'status of the case', 'stage'] },
    investigationStatus: caseSchema.attributes.investigationStatus!,
    verdict: {
      type: 'choice',
      choices: decisioningVerdicts,
      title: 'verdict',
      isShown: true,
      // Of decisioning, which the review is compared with.
      sql: (row) => sql`${row}.verdict`,
      words: ['verdict', 'decisioning', 'judgement', 'decisioning verdict', 'ai verdict', 'prediction'],
    },
    confidence: caseSchema.attributes.confidence!,
    agreesWithVerdict: {
      type: 'flag',
      title: 'agrees with the verdict',
      words: ['agreement'],
      yes: ['agree with the verdict', 'agreed', 'agreeing', 'in agreement', 'confirmed the verdict', 'matching the verdict'],
      no: wordsOf(
        'disagree, disagreed, disagreeing, against the verdict, overturned, contradicted the verdict, not matching the verdict',
      ),
      sql: (row) => sql`case when ${row}.counted_outcome is not null and ${row}.confidence is not null
        then (${row}.verdict = any(${maliciousVerdicts}::text[])) = (${row}.counted_outcome = 'malicious') end`,
    },
    isDecisioningCorrect: {
      type: 'flag',
      title: 'decisioning marked correct',
      words: ['decisioning correctness', 'correctness'],
      yes: ['decisioning correct', 'decisioning right', 'marked correct', 'ai correct'],
      column: 'isAIDecisioningCorrect',
      sql: of('is_decision_correct'),
    },
    isDecisioningIncorrect: {
      type: 'flag',
      title: 'decisioning marked incorrect',
      words: ['decisioning mistake'],
      yes: ['decisioning incorrect', 'decisioning wrong', 'ai wrong', 'decisioning marked incorrect'],
      sql: (row) => sql`not ${row}.is_decision_correct`,
    },
    decisioningNotes: {
      type: 'text',
      title: 'notes on decisioning',
      words: ['decisioning note', 'note on decisioning'],
      column: 'aiDecisioningNotes',
      sql: of('decision_notes'),
    },
    notes: { type: 'text', title: 'notes', words: ['note', 'comment', 'remark', 'justification'], sql: of('notes') },
    text: {
      type: 'text',
      title: 'title or client',
      words: ['text', 'keyword'],
      sql: (row) =>
        sql`concat_ws(chr(10), ${row}.title, (select o.name from organisations o where o.id = ${row}.organisation_id))`,
    },
    ...timeParts(reviewTime),
  },
  keys: {
    review: { sql: (row) => sql`${row}.id::text` },
    case: { sql: (row) => sql`${row}.case_id::text` },
    client: clientKey,
  },
  list: {
    page: 'casereviews',
    path: ({ organisationId, name }) => addressOf('/apps/casereviews', { client: organisationId, text: name }),
  },
  order: { field: 'caseClosedDate', isAscending: false },
};
