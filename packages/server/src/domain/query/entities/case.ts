/** Cases, as their list shows and filters them, with their SLA timers. */
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { type RawBuilder, sql } from 'kysely';
import { hasUser, shownUsers } from '../../identities.ts';
import { judgedVerdict } from '../../judgedVerdict.ts';
import { readerOf } from '../../visibility.ts';
import { column, inScope, lowered, organisationAttributes, severityAttribute, timeParts, wordsOf } from '../attributes.ts';
import { deviceWords, namesOfDevices } from '../deviceNames.ts';
import { isPerson, personName } from '../people.ts';
import type { EntitySchema } from '../schema.ts';
import { caseTimeAttributes } from './case.times.ts';

type Row = RawBuilder<unknown>;
const analyst = { id: 'analyst_user_id', name: 'analyst_name' };
const closer = { id: 'closed_by', name: 'closed_by_name' };
/** Stands for a person where the portal closed a case itself. */
export const automaticCloser = 'SYSTEM';

const isReviewed = sql`exists (select from case_reviews v where v.case_id = c.id and v.organisation_id = c.organisation_id and v.decided_at is not null)`;
const rulesOf = (
  row: Row,
  value: RawBuilder<unknown>,
) => sql`array(select distinct ${value} from case_alerts ca join rules r on r.id = ca.rule_id
  where ca.case_id = ${row}.id and ca.organisation_id = ${row}.organisation_id)`;
const namesAsKeys = (row: Row, names: RawBuilder<unknown>) =>
  sql`array(select ${row}.organisation_id || '/' || lower(n) from unnest(${names}) n)`;
const usersOf = (row: Row) => shownUsers(row, sql`${row}.user_names`);

/** Verdicts of decisioning with their words. */
export const decisioningVerdicts = {
  Malicious: wordsOf('malicious, bad, real, real attack'),
  Suspicious: ['suspicious', 'sus'],
  'Insufficient Information': wordsOf('insufficient information, insufficient info, insufficient, inconclusive, undetermined'),
  'Likely Benign': ['likely benign', 'probably benign'],
  Benign: ['benign', 'harmless'],
};

export const caseSchema: EntitySchema = {
  entity: 'case',
  title: ['case', 'cases'],
  words: wordsOf(
    'case, incident, investigation, ticket, security case, security incident, incident case, security ticket, inquiry, dossier, issue, problem, matter, trouble ticket, work item, incident ticket, security matter, case file',
  ),
  allow: 'cases:read',
  named: 'title',
  from: (row) => sql`cases ${row}`,
  within: inScope,
  id: (row) => sql`${row}.id`,
  time: 'createdTime',
  attributes: {
    number: {
      type: 'number',
      column: 'id',
      title: 'number',
      words: wordsOf('number, case number, case id, id'),
      isShown: true,
      sql: (row) => sql`${row}.id`,
    },
    title: { type: 'text', title: 'title', words: ['title', 'name', 'subject'], isShown: true, sql: (row) => sql`${row}.title` },
    ...organisationAttributes(),
    severity: { ...severityAttribute, column: 'criticality' },
    status: {
      type: 'choice',
      choices: {
        open: wordsOf('status open, open status, unstarted, not picked up'),
        assigned: ['status assigned', 'assigned status'],
        investigating: ['investigating', 'under investigation', 'being investigated'],
        escalated: wordsOf('escalated, escalated to the client, escalated to the customer'),
        malicious: ['status malicious', 'malicious status', 'marked malicious'],
        closed: ['status closed', 'closed status'],
        'escalated:closed': wordsOf(
          'escalated closed, escalated and closed, closed after escalation, escalated: closed, escalated then closed',
        ),
      },
      isOrdered: true,
      title: 'status',
      words: ['status', 'case status', 'stage'],
      isShown: true,
      sql: (row) => sql`${row}.status`,
    },
    isOpen: {
      type: 'flag',
      title: 'open',
      words: ['open state'],
      yes: wordsOf(
        'open, still open, not close, ongoing, active, unresolved, unclosed, still going, pending, outstanding, not closed, running, live, on the table, unsolved, not yet closed, not solved, unfinished, being worked on, in the works, current, not resolved, not done, in flight, still alive, still live, uncompleted, on our hands, yet to be closed, not finished, not completed',
      ),
      no: wordsOf(
        'closed, done, finished, resolved, completed, not open, shut, closed already, already closed, solved, closed out, wrapped up, put to bed, over and done, done with, settled, no longer open, sorted, finalised, finalized, shut down, dealt with, ended',
      ),
      sql: (row) => sql`${row}.closed_at is null`,
    },
    investigationStatus: {
      type: 'choice',
      choices: {
        1: ['not started', 'investigation not started'],
        2: ['in progress', 'investigation in progress'],
        3: ['status waiting for client', 'waiting for client status'],
        4: ['concluded benign', 'investigated as benign'],
        5: wordsOf('false positive, fp, false alarm'),
        6: ['concluded malicious', 'investigated as malicious', 'true positive'],
        7: ['concluded insufficient information', 'investigated as insufficient information'],
        8: ['marked incorrect', 'marked as incorrect', 'incorrect'],
      },
      title: 'investigation status',
      words: ['investigation status', 'investigation state', 'conclusion'],
      sql: (row) => sql`${row}.investigation_status::text`,
    },
    resolution: {
      type: 'choice',
      choices: {
        truePositive: wordsOf('resolved as true positive, resolution true positive, closed as true positive, true positives'),
        benign: wordsOf('resolved as benign, resolution benign, closed as benign'),
        falsePositive: wordsOf('resolved as false positive, resolution false positive, closed as false positive'),
        duplicate: wordsOf('duplicate, resolved as duplicate, closed as duplicate'),
        acceptedRisk: wordsOf('accepted risk, resolved as accepted risk, closed as accepted risk, risk accepted'),
        notStated: wordsOf('resolution not stated, without a resolution, no resolution, no resolution stated'),
      },
      title: 'resolution',
      words: wordsOf('resolution, closing reason, how it was resolved'),
      isShown: true,
      sql: (row) => sql`${row}.resolution`,
    },
    clientAnswer: {
      type: 'choice',
      choices: {
        benign: wordsOf('answered benign, answered as benign, answered expected, client said expected'),
        malicious: wordsOf('answered malicious, answered as malicious, answered not expected, client said not expected'),
      },
      title: 'client’s answer',
      words: wordsOf('client answer, answer of the client, customer answer'),
      sql: (row) => sql`${row}.client_answer`,
    },
    isAnswerUnseen: {
      type: 'flag',
      title: 'with an unseen client answer',
      words: ['unseen answer'],
      yes: wordsOf('with an unseen answer, with an unseen client answer, with a new client answer, with an unread answer'),
      no: wordsOf('without an unseen answer, without a new client answer'),
      sql: (row) => sql`(${row}.client_answered_at is not null and ${row}.client_answer_seen_at is null)`,
    },
    verdict: {
      type: 'choice',
      choices: {
        ...decisioningVerdicts,
        'False positive': ['judged a false positive'],
        'Accepted risk': ['judged an accepted risk'],
        Duplicate: ['judged a duplicate'],
      },
      title: 'verdict',
      words: wordsOf(
        'verdict, decisioning, judgement, decisioning verdict, ruling, assessment, classification, outcome, disposition, finding, final verdict',
      ),
      isShown: true,
      sql: judgedVerdict,
    },
    confidence: {
      type: 'number',
      unit: 'percent',
      column: 'confidenceScore',
      title: 'confidence',
      words: ['confidence', 'certainty', 'confidence score', 'how sure', 'how certain', 'how confident'],
      superlatives: {
        most: ['most confident', 'surest', 'most certain'],
        least: ['least confident', 'least certain', 'shakiest'],
      },
      sql: (row) => sql`${row}.confidence`,
    },
    analyst: {
      type: 'name',
      names: 'account',
      title: 'analyst',
      words: wordsOf(
        'analyst, owner, assignee, assigned analyst, handler, case owner, working on, works on, who is working on, handling, handled by, worked by, worked on by, owned by, assigned to, who owns, who handles, dealing with, looking after, worked on, worked at, picked up by, who picked up, taking care of, responsible for, in charge of, in charge, responsible, person responsible, on the case, belongs to, case handler, responsible analyst, assigned person, whose case, who took, taken by, agent in charge, who has, who has got, who is on',
      ),
      isShown: true,
      sql: (row, context) => personName(row, analyst, context),
      matches: (row, context, values) => isPerson(row, analyst, context, values),
    },
    isMine: {
      type: 'flag',
      title: 'mine',
      words: ['own cases'],
      yes: wordsOf(
        'mine, my, my own, assigned to me, owned by me, on my plate, of mine, my own ones, on my desk, in my queue, in my name, with my name on, i own, i handle, i am working on, im working on, that i own, assigned to myself, i have to work on, on my list, under my name, my bin, in my bin, on my watch',
      ),
      no: wordsOf('not mine, not assigned to me, someone elses, of others'),
      sql: (row, { userId }) => sql`${row}.analyst_user_id = ${userId}`,
    },
    isAssigned: {
      type: 'flag',
      title: 'assigned',
      words: ['assignment'],
      yes: wordsOf(
        'assigned, with an owner, with an analyst, owned, taken, already assigned, with an assignee, picked up, claimed, allocated, somebody owns, someone owns, with somebody on it, being handled',
      ),
      no: wordsOf(
        'unassigned, not assigned, without an owner, without an analyst, nobody owns, no owner, ownerless, unowned, up for grabs, not yet assigned, nobody took, nobody took yet, nobody has taken, no one has taken, not taken, not picked up, not picked up yet, nobody picked up, without anyone, with nobody on it, without an assignee, no assignee, unclaimed, nobody on it, no analyst, with no analyst, with no owner, not owned, not owned by anyone, without a handler, free, not claimed, no one owns, waiting for an owner, unallocated, unassinged, nobody is working on, no one is working on, nobody is on, not assigned to anyone, not assigned to anybody, without anybody assigned, with nobody assigned, nobody assigned, no one assigned, nobody has, nobodys picked up yet, nobodys taken, nobodys on, nobody has picked up, nobody has picked up yet, not yet picked up',
      ),
      sql: (row) => sql`${row}.analyst_user_id is not null`,
    },
    device: {
      type: 'names',
      names: 'device',
      title: 'device',
      words: deviceWords,
      column: 'deviceNames',
      sql: (row) => sql`${row}.device_names`,
      matches: (row, context, values) => sql<boolean>`${row}.device_names && ${namesOfDevices(values, context)}`,
    },
    user: {
      type: 'names',
      names: 'user',
      title: 'user',
      words: wordsOf('user, username, user name, account'),
      column: 'userNames',
      sql: usersOf,
      matches: (row, { scope }, values) => hasUser(row, sql`${row}.user_names`, values, scope),
    },
    tactic: {
      type: 'names',
      names: 'tactic',
      title: 'tactic',
      words: wordsOf('tactic, att&ck tactic, mitre tactic, kill chain phase'),
      column: 'tactics',
      sql: (row) => sql`${row}.tactics`,
    },
    tacticCount: {
      type: 'number',
      title: 'number of tactics',
      words: ['number of tactics', 'tactic count', 'tactics'],
      superlatives: { most: ['most tactics', 'broadest'], least: ['fewest tactics'] },
      sql: (row) => sql`cardinality(${row}.tactics)`,
    },
    rule: {
      type: 'names',
      names: 'rule',
      title: 'rule',
      words: ['rule', 'detection rule', 'detection'],
      sql: (row) => rulesOf(row, sql`r.title`),
      matches: (row, _, values) => sql<boolean>`exists (select from case_alerts ca join rules r on r.id = ca.rule_id
        where ca.case_id = ${row}.id and ca.organisation_id = ${row}.organisation_id and lower(r.title) = any(${lowered(values)}))`,
    },
    percentage: {
      type: 'number',
      unit: 'percent',
      column: 'casePercentage',
      title: 'percentage',
      words: wordsOf('percentage, percent, case percentage, threshold'),
      superlatives: { most: ['highest percentage'], least: ['lowest percentage'] },
      sql: (row) => sql`round(least(100, ${row}.percentage)::numeric, 2)::float8`,
    },
    score: {
      type: 'number',
      unit: 'points',
      column: 'riskScore',
      title: 'score',
      words: wordsOf('score, case score, risk score, weight, danger score, case weight'),
      superlatives: { most: wordsOf('worst, riskiest, highest score, most dangerous'), least: ['lowest score', 'least risky'] },
      sql: (row) => sql`${row}.score`,
    },
    alertCount: {
      type: 'number',
      title: 'number of alerts',
      words: ['number of alerts', 'alert count'],
      superlatives: { most: ['biggest', 'largest', 'most alerts'], least: ['smallest', 'fewest alerts'] },
      isShown: true,
      sql: (row) => sql`${row}.alert_count`,
    },
    newAlerts: {
      type: 'number',
      title: 'unseen alerts',
      words: wordsOf('unseen alert, new alert, unread alert, number of unseen alerts'),
      superlatives: { most: ['most unseen alerts', 'most new alerts'], least: ['fewest unseen alerts', 'fewest new alerts'] },
      sql: (row) => sql`greatest(0, ${row}.new_count)`,
    },
    isExcluded: {
      type: 'flag',
      title: 'excluded by suppressions',
      words: ['exclusion'],
      yes: wordsOf('excluded, covered by suppressions, suppressed, fully suppressed'),
      no: ['not suppressed', 'not covered by suppressions'],
      sql: (row) => sql`${row}.is_excluded`,
    },
    ...caseTimeAttributes,
    createdTime: {
      type: 'time',
      title: 'opened',
      words: wordsOf('opening time, time of opening, created time, since when, date'),
      verbs: wordsOf(
        'opened, created, raised, started, came in, filed, logged, registered, arrived, arose, appeared, popped up, showed up, landed, launched, began, initiated, reported, new',
      ),
      superlatives: { latest: wordsOf('latest, newest, most recent, youngest'), earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: (row) => sql`${row}.created_at`,
    },
    lastAlertTime: {
      type: 'time',
      title: 'last alert',
      words: ['last alert', 'newest alert', 'last activity'],
      verbs: ['updated'],
      sql: (row) => sql`${row}.last_alert_at`,
    },
    closedTime: {
      type: 'time',
      title: 'closed',
      words: ['closing time', 'time of closing', 'close date'],
      verbs: wordsOf(
        'closed, close, resolved, finished, shut, wrapped up, done, completed, solved, closed out, dealt with, sorted, settled, finalised, finalized, ended, signed off, closing',
      ),
      superlatives: { latest: ['last closed', 'most recently closed'], earliest: ['first closed'] },
      sql: (row) => sql`${row}.closed_at`,
    },
    closedBy: {
      type: 'name',
      names: 'account',
      title: 'closed by',
      words: wordsOf(
        'closer, closed by, who closed, resolver, shut by, resolved by, who resolved, who shut, finished by, completed by, solved by, closing by, close by, who solved, who finished, signed off by',
      ),
      sql: (row, context) =>
        sql`case when ${row}.closed_at is null then null when ${row}.closed_by is null then ${sql.lit(automaticCloser)} else ${personName(row, closer, context)} end`,
      matches: (row, context, values) => {
        const isSystem = sql<boolean>`(${row}.closed_at is not null and ${row}.closed_by is null)`;
        const isNamed = isPerson(row, closer, context, values);
        return values.some((value) => value.toUpperCase() === automaticCloser)
          ? sql<boolean>`(${isSystem} or ${isNamed})`
          : isNamed;
      },
    },
    isClosedAutomatically: {
      type: 'flag',
      title: 'closed automatically',
      words: ['automatic closing'],
      yes: wordsOf(
        'closed automatically, auto closed, auto-closed, autoclosed, closed by system, closed by the portal, machine closed, automatically closed, closed by itself, closed by the machine, closed without a human, closed without a person, system closed, closed by automation, auto closes, auto-close',
      ),
      no: wordsOf(
        'not closed by system, closed by a person, closed by a human, closed manually, closed by people, closed by hand, manually closed, closed by an analyst, closed by somebody, not auto closed, not auto-closed, not closed automatically, human closed',
      ),
      sql: (row) => sql`case when ${row}.closed_at is not null then ${row}.closed_by is null end`,
    },
    isReviewed: {
      type: 'flag',
      title: 'reviewed',
      words: ['second look'],
      yes: ['reviewed', 'with a review decision', 'already reviewed'],
      no: wordsOf('not reviewed, unreviewed, not yet reviewed, without a review, never reviewed, no review'),
      // Reviews are internal.
      sql: (row, { scope }) =>
        readerOf(scope).canSeeInternal ? sql`(select ${isReviewed} from (select ${row}.*) c)` : sql`null::boolean`,
    },
    text: {
      type: 'text',
      title: 'text',
      words: ['text', 'keyword'],
      sql: (row) =>
        sql`concat_ws(chr(10), ${row}.title, array_to_string(${row}.device_names, chr(10)), array_to_string(${row}.user_names, chr(10)))`,
    },
    ...timeParts((row) => column(row, 'created_at')),
    ageBand: {
      type: 'choice',
      choices: {
        day: ['less than a day old'],
        week: ['one to seven days old'],
        month: ['seven to thirty days old'],
        older: ['more than thirty days old'],
      },
      isOrdered: true,
      title: 'age band',
      words: ['age band', 'age group', 'age range'],
      sql: (
        row,
        { now },
      ) => sql`case when ${row}.created_at >= ${new Date(now - dayMs)} then 'day' when ${row}.created_at >= ${new Date(now - 7 * dayMs)} then 'week'
        when ${row}.created_at >= ${new Date(now - 30 * dayMs)} then 'month' else 'older' end`,
    },
  },
  keys: {
    case: { sql: (row) => sql`${row}.id::text` },
    device: { sql: (row) => namesAsKeys(row, column(row, 'device_names')), isMany: true },
    user: { sql: (row) => namesAsKeys(row, usersOf(row)), isMany: true },
    account: { sql: (row) => sql`${row}.analyst_user_id::text` },
    rule: { sql: (row) => rulesOf(row, sql`r.id::text`), isMany: true },
    tactic: { sql: (row) => sql`${row}.tactics`, isMany: true },
    client: { sql: (row) => sql`${row}.organisation_id::text` },
  },
  list: { page: 'cases', path: ({ id }) => `/apps/case/${id}` },
  order: { field: 'createdTime', isAscending: false },
};
