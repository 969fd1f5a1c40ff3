/** A case with all its details, as one reader may see it (access table, row 15). */
import { may } from '@parapet/contract/access.ts';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import type { CaseDetail, CaseGuidance, TimelineEntry } from '@parapet/contract/caseDetail.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { problem } from '@parapet/contract/problem.ts';
import { shownReason } from '@parapet/contract/rules/grouping.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { judgementOfCase, summaryOfCase } from '../../domain/caseJudgement.ts';
import { isAnswerable } from '../../domain/caseTimes.ts';
import { type GuidedRule, readAttack } from '../../domain/story.store.ts';
import { storyOf, storyText } from '../../domain/story.ts';
import { readerOf, shownName } from '../../domain/visibility.ts';
import { clocksOf } from './cases.clocks.ts';
import {
  findClient,
  listArtifacts,
  listHistory,
  listMembers,
  listNarratives,
  listNotes,
  listWorstMembers,
  type Member,
} from './cases.detail.store.ts';
import type { CasePageSources, CaseRecord } from './cases.ports.ts';
import { answerOf, line, paragraph, twoDecimals } from './cases.rows.ts';

export const firstPage = 50;
const maxGuidance = 3;
const maxTimelineAlerts = 200;
const maxTimelineArtifacts = 300;

/** Throws notFound outside the scope. */
export async function getCase(tx: Tx, scope: Scope, id: number): Promise<CaseRecord> {
  const record = await tx
    .selectFrom('cases')
    .selectAll()
    .select(shownName(scope, 'analyst_user_id', 'analyst_name').as('shown_analyst'))
    .select(shownName(scope, 'acknowledged_by', 'acknowledged_by_name').as('shown_acknowledger'))
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .executeTakeFirst();
  if (!record) {
    const merged = await tx
      .selectFrom('case_merges')
      .select('into_case_id')
      .where(within('organisation_id', scope))
      .where('case_id', '=', id)
      .where('state', '=', 'merged')
      .executeTakeFirst();
    throw merged ? problem.merged(id, merged.into_case_id) : problem.notFound('case', id);
  }
  const { shown_analyst, shown_acknowledger, ...stored } = record;
  const rest = { ...stored, acknowledged_by_name: shown_acknowledger };
  return shown_analyst === record.analyst_name ? rest : { ...rest, analyst_name: shown_analyst, analyst_email: '' };
}

type StoryInput = Parameters<typeof storyOf>[1];

/** Facts of the story beside the attack. */
function storyFactsOf(
  record: CaseRecord,
  {
    decisioning,
    responses,
    tasks,
    history,
  }: {
    decisioning: { evidence: StoryInput['evidence'] } | null;
    responses: StoryInput['responses'];
    tasks: readonly { isSent: boolean }[];
    history: readonly { kind: string; at: Date }[];
  },
): StoryInput {
  const timesOf = (kind: TimelineEntry['kind']) => history.flatMap((entry) => (entry.kind === kind ? [entry.at] : []));
  return {
    alertCount: record.alert_count,
    judgement: judgementOfCase(record),
    evidence: decisioning?.evidence ?? [],
    responses,
    unsentTasks: tasks.filter(({ isSent }) => !isSent).length,
    mailedAt: timesOf('mail'),
    answeredAt: timesOf('client'),
    waitsUntil: record.wait_expires_at,
    closedAt: record.closed_at,
    resolution: record.resolution,
  };
}

export async function readDetail(
  tx: Tx,
  scope: Scope,
  actor: Actor,
  record: CaseRecord,
  now: number,
  sources: CasePageSources,
): Promise<CaseDetail> {
  const { id, organisation_id } = record;
  // Concurrent queries share a round trip.
  const [
    client,
    emergencyContacts,
    escalation,
    page,
    attack,
    worst,
    found,
    history,
    narratives,
    notes,
    responses,
    tasks,
    decisioning,
  ] = await Promise.all([
    findClient(tx, scope, organisation_id),
    sources.contactsOf(tx, scope, organisation_id),
    sources.escalationOf(tx, scope, organisation_id),
    listMembers(tx, scope, id, { limit: firstPage }),
    readAttack(tx, scope, id),
    listWorstMembers(tx, scope, id, maxTimelineAlerts),
    listArtifacts(tx, scope, id),
    listHistory(tx, scope, id),
    listNarratives(tx, scope, id),
    listNotes(tx, scope, id, actor.userId),
    sources.responsesOf(tx, scope, id),
    sources.tasksOf(tx, scope, id),
    sources.verified(tx, scope, record, readerOf(scope).canSeeInternal),
  ]);
  const wanted = new Map([...page, ...worst].map((key) => [key.alert_id, key]));
  const rows = new Map((await sources.rowsOf(tx, scope, [...wanted.values()])).map((row) => [row.id, row]));
  const rowsOf = <K extends { alert_id: number }>(keys: readonly K[]): { key: K; row: AlertRow }[] =>
    keys.flatMap((key) => {
      const row = rows.get(key.alert_id);
      return row ? [{ key, row }] : [];
    });

  const story = storyOf(attack, storyFactsOf(record, { decisioning, responses, tasks, history }));

  return {
    caseGeneralInfo: generalInfoOf(record, client.subscription_level_id, now, readerOf(scope).canSeeInternal),
    clientOrganizationDetails: {
      clientOrganization: { id: client.id, name: client.name },
      emergencyContacts,
      generalAlertNotes: paragraph(client.general_alert_notes),
      escalationEmailAddresses: escalation,
      alertPlaybookData: paragraph(client.alert_playbook),
      alertTypes: client.alert_types.slice(0, 20).map(line),
      subscriptionLevelID: client.subscription_level_id,
    },
    alerts: rowsOf(page).map(({ key, row }) => ({ ...row, joinedBy: line(shownReason(key.joined_by)) })),
    story,
    alertNarrative: paragraph(storyText(story.clauses)),
    guidance: guidanceOf(attack.rules),
    caseNarrative: narratives,
    analystCaseNotes: notes,
    casePercentage: twoDecimals(Math.min(100, record.percentage)),
    isExcluded: record.is_excluded,
    isAREnabled: client.is_ar_enabled,
    autonomousResponseData: {
      caseArtifacts: found.artifacts,
      maliciousArtifacts: found.malicious,
      caseArtifactsTimeline: timelineOf(history, rowsOf(worst), found.artifacts),
      caseSummary: paragraph(summaryOfCase(record)),
      caseTaskList: tasks,
    },
    responses,
    decisioning,
    can: canOf(actor, record, now),
  };
}

const generalInfoOf = (
  record: CaseRecord,
  subscriptionLevel: number,
  now: number,
  isInternal: boolean,
): CaseDetail['caseGeneralInfo'] => ({
  id: record.id,
  incidentID: record.id,
  title: line(record.title),
  clientOrganizationID: record.organisation_id,
  createdTime: record.created_at.toISOString(),
  closedTime: record.closed_at?.toISOString() ?? null,
  acknowledgement: record.acknowledged_at && {
    time: record.acknowledged_at.toISOString(),
    by: line(record.acknowledged_by_name),
    channel: record.acknowledged_channel,
  },
  resolution: record.resolution,
  resolutionReason: isInternal && record.resolution_reason !== null ? paragraph(record.resolution_reason) : null,
  containment: record.containment,
  clientQuestionTime: record.client_question_at?.toISOString() ?? null,
  clientAnswer: answerOf(record),
  criticality: severityOf(record.criticality),
  criticalityNumber: record.criticality,
  waitExpiration: record.wait_expires_at?.toISOString() ?? null,
  analyst: record.analyst_user_id === null ? null : line(record.analyst_name),
  assignedToUserAccount:
    record.analyst_user_id === null
      ? null
      : {
          id: record.analyst_user_id,
          displayName: line(record.analyst_name),
          emailAddress: line(record.analyst_email),
        },
  riskScore: twoDecimals(record.score),
  newAlerts: Math.max(0, record.new_count),
  investigationStatus: record.investigation_status,
  status: record.status,
  alertCount: record.alert_count,
  tactics: record.tactics.slice(0, 14).map(line),
  version: record.version,
  clocks: clocksOf(record, subscriptionLevel, now),
});

/** Permissions of the reader on a case in scope. */
const canOf = (actor: Actor, record: CaseRecord, now: number): CaseDetail['can'] => ({
  write: may(actor, 'cases:write'),
  changeStatus: may(actor, 'cases:changeStatus'),
  markAlerts: may(actor, 'alerts:mark'),
  respond: may(actor, 'responses:write'),
  answer: may(actor, 'cases:answer') && isAnswerable(record, now),
  mail: may(actor, 'cases:mail'),
  readMails: may(actor, 'caseMails:read'),
  seeInternals: canSeeInternal(actor),
  review: may(actor, 'reviews:use'),
  suppress: may(actor, 'suppressions:write'),
});

/** A page of a case's alerts in the contract's shape. */
export async function readAlerts(tx: Tx, scope: Scope, members: readonly Member[], rowsOf: CasePageSources['rowsOf']) {
  const joinedBy = new Map(members.map((member) => [member.alert_id, member.joined_by]));
  const rows = await rowsOf(tx, scope, members);
  return rows.map((row) => ({ ...row, joinedBy: line(shownReason(joinedBy.get(row.id) ?? '')) }));
}

/** Guidance of the most severe rules that have some; among equals the first to fire. */
const guidanceOf = (rules: readonly GuidedRule[]): CaseGuidance[] =>
  rules
    .toSorted((a, b) => b.criticality - a.criticality)
    .flatMap(({ guidance, rule, criticality, alertID }) =>
      guidance ? [{ ...guidance, rule, severity: severityOf(criticality), alertID }] : [],
    )
    .slice(0, maxGuidance);

const artifactNames = {
  destinationIp: 'destination address',
  sourceIp: 'source address',
  domain: 'domain',
  hash: 'hash',
  file: 'file',
  process: 'process',
  user: 'user',
  device: 'device',
} as const;

function timelineOf(
  history: Awaited<ReturnType<typeof listHistory>>,
  alerts: readonly { row: AlertRow }[],
  artifacts: CaseDetail['autonomousResponseData']['caseArtifacts'],
): TimelineEntry[] {
  const entries: TimelineEntry[] = [
    ...history.map(({ at, kind, text, actor_name }) => ({
      time: at.toISOString(),
      kind: kind as TimelineEntry['kind'],
      text: line(text),
      actor: line(actor_name),
      alertID: null,
      severity: null,
    })),
    ...alerts.map(({ row }) => ({
      time: row.createdTime,
      kind: 'alert' as const,
      text: row.alertSummary,
      actor: '',
      alertID: row.id,
      severity: row.severity,
    })),
    ...artifacts.slice(0, maxTimelineArtifacts).map(({ firstTime, kind, value, reputation, decodedFrom }) => ({
      time: firstTime,
      kind: 'artifact' as const,
      text: line(
        `First seen: ${artifactNames[kind]} ${value}${reputation === 'Unknown' ? '' : ` (${reputation})`}${decodedFrom === null ? '' : `, decoded from ${decodedFrom}`}`,
      ),
      actor: '',
      alertID: null,
      severity: null,
    })),
  ];
  // The sort is stable: entries of one moment keep the order of their list.
  return entries.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}
