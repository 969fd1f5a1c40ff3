/** Case rules shared by server and web: statuses, transitions, scores, names and targets (spec §3, §4, §9). */
import { type Severity, severityOf } from '../primitives.ts';
import { subscriptionLevelIds } from './values.ts';

/** Case statuses in lifecycle order. */
export const caseStatuses = [
  { value: 'open', label: 'Open' },
  { value: 'assigned', label: 'Assigned' },
  { value: 'investigating', label: 'Investigating' },
  { value: 'escalated', label: 'Escalated' },
  { value: 'malicious', label: 'Malicious' },
  { value: 'closed', label: 'Closed' },
  { value: 'escalated:closed', label: 'Escalated: Closed' },
] as const;
export type CaseStatus = (typeof caseStatuses)[number]['value'];
export const caseStatusValues = caseStatuses.map(({ value }) => value) as [CaseStatus, ...CaseStatus[]];
export const statusLabel = (status: CaseStatus): string => caseStatuses.find(({ value }) => value === status)!.label;

/** Permitted transitions. An escalated case closes as 'escalated:closed'; a closed case reopens as investigating. */
export const nextStatuses: Record<CaseStatus, readonly CaseStatus[]> = {
  open: ['assigned', 'investigating', 'escalated', 'malicious', 'closed'],
  assigned: ['open', 'investigating', 'escalated', 'malicious', 'closed'],
  investigating: ['assigned', 'escalated', 'malicious', 'closed'],
  escalated: ['investigating', 'malicious', 'escalated:closed'],
  malicious: ['investigating', 'escalated', 'closed', 'escalated:closed'],
  closed: ['investigating'],
  'escalated:closed': ['investigating'],
};
export const mayFollow = (from: CaseStatus, to: CaseStatus): boolean => nextStatuses[from].includes(to);
export const isClosed = (status: CaseStatus): boolean => status === 'closed' || status === 'escalated:closed';
export const openStatuses = caseStatusValues.filter((status) => !isClosed(status));

/** Investigation status ids on the wire (spec §4). */
export const investigationStatusIds = {
  notStarted: 1,
  inProgress: 2,
  waitingForClient: 3,
  benign: 4,
  falsePositive: 5,
  malicious: 6,
  insufficientInformation: 7,
  markedIncorrect: 8,
} as const;
/** Investigation statuses in the order of the picker, with their display names. */
export const investigationStatuses = [
  { id: investigationStatusIds.notStarted, name: 'Not started' },
  { id: investigationStatusIds.inProgress, name: 'In progress' },
  { id: investigationStatusIds.waitingForClient, name: 'Waiting for client' },
  { id: investigationStatusIds.benign, name: 'Benign' },
  { id: investigationStatusIds.falsePositive, name: 'False positive' },
  { id: investigationStatusIds.malicious, name: 'Malicious' },
  { id: investigationStatusIds.insufficientInformation, name: 'Insufficient information' },
  { id: investigationStatusIds.markedIncorrect, name: 'Marked incorrect' },
] as const;
/** Conclusions of an investigation, which a review confirms or marks as incorrect. */
export const concludedInvestigations: readonly number[] = [
  investigationStatusIds.benign,
  investigationStatusIds.falsePositive,
  investigationStatusIds.malicious,
  investigationStatusIds.insufficientInformation,
];
export const investigationStatusName = (id: number): string =>
  investigationStatuses.find((status) => status.id === id)?.name ?? 'Unknown';

/** Answers of a client to an escalation. */
export const emailActions = ['benign', 'malicious'] as const;
export type EmailAction = (typeof emailActions)[number];

/** Resolutions of a case in the order of the picker, with display names. */
export const resolutions = [
  { value: 'truePositive', label: 'True positive' },
  { value: 'benign', label: 'Benign' },
  { value: 'falsePositive', label: 'False positive' },
  { value: 'duplicate', label: 'Duplicate' },
  { value: 'acceptedRisk', label: 'Accepted risk' },
] as const;
export type StatedResolution = (typeof resolutions)[number]['value'];
export const statedResolutions = resolutions.map(({ value }) => value) as [StatedResolution, ...StatedResolution[]];
/** `notStated`: closed by a call without a resolution. */
export const resolutionValues = [...statedResolutions, 'notStated'] as const;
export type Resolution = (typeof resolutionValues)[number];
export const resolutionLabel = (resolution: Resolution): string =>
  resolutions.find(({ value }) => value === resolution)?.label ?? 'Not stated';

/** Items that may be open on a case at its closing. */
export const openItemKinds = ['tasks', 'alerts', 'containment', 'question'] as const;
export type OpenItemKind = (typeof openItemKinds)[number];
/** Only a true positive needs containment; any other resolution is the reason that none was needed. */
export const isOpenFor = (kind: OpenItemKind, resolution: StatedResolution): boolean =>
  kind !== 'containment' || resolution === 'truePositive';

/** Reasons for which the containment timer stopped; `unverified`: recorded before verification was required. */
export const containments = ['verified', 'notNeeded', 'unverified'] as const;
export type Containment = (typeof containments)[number];

/** Review decision ids on the wire (spec §4). */
export const decisionIds = { partner: 12, client: 13, pending: 14, malicious: 15, soc: 16, benign: 17 } as const;
/** Review decisions in the order of the picker, with their display names. */
export const decisionResultTypes = [
  { id: decisionIds.partner, name: 'Partner' },
  { id: decisionIds.client, name: 'Client' },
  { id: decisionIds.pending, name: 'Pending' },
  { id: decisionIds.malicious, name: 'Malicious' },
  { id: decisionIds.soc, name: 'SOC (AG)' },
  { id: decisionIds.benign, name: 'Benign' },
] as const;
export const decisionName = (id: number): string => decisionResultTypes.find((type) => type.id === id)?.name ?? 'Unknown';
/** Outcome implied by a review's decision; undefined for a decision without one. */
export const outcomeOfDecision = (id: number): 'malicious' | 'benign' | undefined =>
  id === decisionIds.malicious ? 'malicious' : id === decisionIds.benign ? 'benign' : undefined;

/** Verdicts by falling probability of malicious; Insufficient Information in the middle. */
export const verdicts = ['Malicious', 'Suspicious', 'Insufficient Information', 'Likely Benign', 'Benign'] as const;
export type Verdict = (typeof verdicts)[number];
/** Outcome that a verdict predicts, with which reviews agree or not; undefined for Insufficient Information. */
export const outcomeOfVerdict = (verdict: Verdict): 'malicious' | 'benign' | undefined =>
  verdict === 'Insufficient Information'
    ? undefined
    : verdict === 'Malicious' || verdict === 'Suspicious'
      ? 'malicious'
      : 'benign';

/** Malicious threshold of organisations without their own. */
export const defaultMaliciousThreshold = 100;

/** Case score in per cent of the threshold: capped at 100, two decimals (spec §9). */
export const casePercentageOf = (score: number, threshold: number): number =>
  Math.round(Math.min(100, Math.max(0, (100 * score) / Math.max(1, threshold))) * 100) / 100;

/** Score of an alert by criticality (1 Informational … 5 Critical). */
export const scoreOfCriticality: Record<number, number> = { 1: 1, 2: 5, 3: 15, 4: 40, 5: 75 };

/**
 * Case score: each distinct rule once by its criticality, up to half as much again for its repeats, and a tenth of the sum for each ATT&CK tactic
 * after the first. Uncapped; only the percentage has a cap.
 */
export function caseScoreOf(rules: readonly { criticality: number; alerts: number }[], tactics: number): number {
  const base = rules.reduce(
    (sum, { criticality, alerts }) =>
      sum + (scoreOfCriticality[criticality] ?? 1) * (1 + Math.min(0.5, Math.log10(Math.max(1, alerts)) / 4)),
    0,
  );
  return Math.round(base * (1 + 0.1 * Math.max(0, tactics - 1)) * 100) / 100;
}

/** First initial and surname (spec §9): "Ana Lima" → "A. Lima". */
export const shortName = (firstName: string, lastName: string): string => {
  const [first] = [...firstName.trim()];
  const last = lastName.trim();
  return last === '' ? firstName.trim() : first === undefined ? last : `${first}. ${last}`;
};

export type SlaTimerName = 'acknowledge' | 'contain' | 'close';
export const slaTimerNames = ['acknowledge', 'contain', 'close'] as const;

const hour = 60;
/** Minutes to acknowledge, contain and close at the level 'Respond 24×7'. */
const fastest: Record<Severity, Record<SlaTimerName, number>> = {
  critical: { acknowledge: 15, contain: hour, close: 8 * hour },
  high: { acknowledge: 30, contain: 4 * hour, close: 24 * hour },
  medium: { acknowledge: 2 * hour, contain: 12 * hour, close: 72 * hour },
  low: { acknowledge: 8 * hour, contain: 24 * hour, close: 120 * hour },
  informational: { acknowledge: 24 * hour, contain: 72 * hour, close: 240 * hour },
};
/** Multiplier of the targets by subscription level. */
const factorOfLevel: Record<number, number> = {
  [subscriptionLevelIds.monitor]: 4,
  [subscriptionLevelIds.respond]: 2,
  [subscriptionLevelIds.respondAroundTheClock]: 1,
};

/** Target in minutes by the case's criticality (1…5) and the client's subscription level. */
export const targetMinutes = (clock: SlaTimerName, criticality: number, subscriptionLevelId: number): number =>
  fastest[severityOf(criticality)][clock] * (factorOfLevel[subscriptionLevelId] ?? 4);

/** Share of the target after which an SLA timer warns. */
export const slaWarningShare = 0.75;
/** Default maximum wait for a client in hours, after which the SLA timers resume. */
export const defaultWaitHours = 72;

/** Response task actions; the label reverses when the task is undone (spec §4). */
export const taskActions = {
  block: { do: 'Block', undo: 'Unblock' },
  disable: { do: 'Disable', undo: 'Reenable' },
} as const;
export type TaskAction = keyof typeof taskActions;
/** Label of a task: its next action and target. */
export const taskText = (action: TaskAction, target: string, isSent: boolean): string =>
  `${isSent ? taskActions[action].undo : taskActions[action].do} ${target}`;
