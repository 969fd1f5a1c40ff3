/**
 * Visibility of each audit action. A missing action is internal and fails the test of the catalogue. Migration 0019 applied the same rules to entries
 * from before it.
 */
import type { Visibility } from '@parapet/contract/visibility.ts';

interface Entry {
  action: string;
  before?: unknown;
  after?: unknown;
}
type Rule = Visibility | ((entry: Entry) => Visibility);

const fieldOf = (part: unknown, key: string): unknown =>
  typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[key] : undefined;

/** Hides the former text of a note that was internal before it was shared. */
const noteVisibility: Rule = ({ before, after }) =>
  fieldOf(after, 'isInternal') === false && fieldOf(before, 'isInternal') !== true ? 'client' : 'internal';

/** Hides the reason of a resolution. */
const bulkStatusVisibility: Rule = ({ after }) =>
  fieldOf(fieldOf(after, 'change'), 'closing') === undefined ? 'client' : 'internal';

const all = (visibility: Visibility, subject: string, events: string): [string, Rule][] =>
  events.split(' ').map((event) => [`${subject}.${event}`, visibility]);

const catalogue = new Map<string, Rule>([
  ['case.noteSaved', noteVisibility],
  ['bulk.status', bulkStatusVisibility],
  ...all('internal', 'case', 'answerSeen decisioningJudged markedIncorrect narrativeSaved proposalDecided proposed resolved'),
  ...all('internal', 'identity', 'merged ruleSwitched'),
  ...all('internal', 'review', 'assigned decided'),
  // Contains the submitted text, which is internal until approval.
  ...all('internal', 'sapphire', 'knowledgeReviewed'),
  ...all('internal', 'analystTime', 'changed'),
  ...all('internal', 'caseGrouping', 'drafted stateChanged'),
  ...all('internal', 'rulePack', 'accepted decided discarded downloaded requested stateChanged'),
  ...all('internal', 'rule', 'drafted exceptionAdded exceptionEnded overridden stateChanged testAdded testRemoved'),
  ...all('internal', 'suppression', 'created ended'),
  ...all('internal', 'bulk', 'suppress'),

  ...all('client', 'advisories', 'imported'),
  ...all('client', 'alarm', 'calls probing refusals signIns unknownCallers'),
  ...all('client', 'agent', 'enrolled enrolledAgain revoked taskRefused'),
  ...all('client', 'agentRelease', 'added'),
  ...all('client', 'agentRollout', 'changed'),
  ...all('client', 'alerts', 'exported markedSeen markedUnseen'),
  ...all('client', 'apiKey', 'created revoked'),
  ...all('client', 'approvalPolicy', 'changed'),
  ...all('client', 'approvalRule', 'added removed'),
  ...all('client', 'asset', 'protected unprotected'),
  ...all('client', 'assistant', 'allowed revoked'),
  ...all('client', 'attack', 'exported'),
  ...all('client', 'audit', 'exported keyChanged sealBroken'),
  ...all('internal', 'billing', 'confirmed corrected exported linesSet'),
  ...all('client', 'bulk', 'assign seen undone unseen'),
  ...all('client', 'call', 'denied'),
  ...all(
    'client',
    'case',
    'acknowledged alertAdded alertMoved answered assigned breachTold changeUndone closed excluded exported',
  ),
  ...all(
    'client',
    'case',
    'incidentReopened investigationChanged mailed noLongerExcluded opened read reopened statusChanged waitEnded',
  ),
  ...all('client', 'cases', 'exported'),
  ...all('client', 'collectorConfig', 'downloaded saved'),
  ...all('client', 'import', 'created finished'),
  ...all('client', 'webhookSource', 'created mappingSaved paused removed resumed secretReplaced'),
  ...all(
    'client',
    'connection',
    'consentFailed consentRenewed consented created createdByInvite incidentModeChanged inviteRevoked invited paused readRequested removed responsesChanged resumed secretsReplaced stopped tested',
  ),
  ...all('client', 'syslogNetwork', 'added removed'),
  ...all('client', 'vendorApplication', 'removed saved'),
  ...all('client', 'delivery', 'replayed'),
  ...all('client', 'deliveryRule', 'changed created removed'),
  ...all('client', 'onCall', 'noteWritten overrideAdded overrideRemoved shiftsSaved'),
  ...all(
    'client',
    'deliveryTarget',
    'callbacksClosed callbacksOpened changed created paused removed resumed secretsReplaced tested ticketsSet ticketsSynced',
  ),
  ...all('client', 'device', 'upgradeAsked'),
  ...all('client', 'devices', 'merged separated tagged'),
  ...all('client', 'enrolmentToken', 'created revoked'),
  ...all('internal', 'erasure', 'certificateDownloaded finished'),
  ...all('client', 'events', 'exportDownloaded exported fieldsRead keptAsideRead searched'),
  ...all('client', 'feed', 'changed tested'),
  ...all('client', 'finding', 'accepted reopened'),
  ...all('client', 'ingestKey', 'created revoked'),
  ...all('internal', 'installation', 'backupRequested released restored'),
  ...all('client', 'intelligence', 'imported removed'),
  ...all('client', 'intelligenceFeed', 'changed created removed tested'),
  ...all('internal', 'isolation', 'found requested'),
  ...all('client', 'keys', 'rotated'),
  ...all('client', 'mailSubscriptions', 'updated'),
  ...all(
    'client',
    'organisation',
    'brandingUpdated contactsUpdated created deactivated escalationUpdated generalUpdated logoRemoved',
  ),
  ...all('client', 'offboarding', 'agentsTold archived ended'),
  ...all('client', 'looks', 'exported reasonGiven sealed'),
  ...all('client', 'mcp', 'called'),
  ...all('client', 'taxii', 'read'),
  ...all('client', 'organisation', 'domainFailing domainLapsed domainVerified domainVouchWithdrawn domainVouched'),
  ...all('client', 'organisation', 'logoUploaded moved playbookUpdated reactivated retentionUpdated signInPolicyUpdated'),
  // A legal hold may concern the client’s own people.
  ...all(
    'internal',
    'retention',
    'eraseConfirmed eraseRefused eraseRequested holdConfirmed holdRefused holdRequested liftConfirmed liftRefused liftRequested',
  ),
  ...all('client', 'retention', 'limitsSaved saved'),
  ...all('client', 'pastSearch', 'searched'),
  ...all('internal', 'recall', 'released requested'),
  ...all('client', 'report', 'exported'),
  ...all('client', 'reportJob', 'downloaded started'),
  ...all('client', 'reportSchedule', 'created removed'),
  ...all(
    'client',
    'response',
    'acknowledged approved approvedByOne expired failed fileTaken pathIssued requested takenBack verified',
  ),
  ...all('client', 'riskDevices', 'changed'),
  ...all('client', 'riskPractices', 'changed'),
  ...all('client', 'sapphire', 'judged knowledgeAdded knowledgeSubmitted synonymAdded synonymRemoved teacherSet'),
  ...all('client', 'scan', 'uploaded'),
  ...all('client', 'session', 'ended'),
  ...all('client', 'sessions', 'ended'),
  ...all('client', 'setup', 'confirmed'),
  ...all('client', 'tag', 'deleted saved'),
  ...all('client', 'task', 'added'),
  ...all('client', 'tasks', 'executed'),
  ...all('client', 'user', 'created dataSaved deleted identityLinked invitationAccepted invited mfaReset mfaSet passwordChanged'),
  ...all(
    'client',
    'user',
    'passwordReset passwordResetAsked pictureChanged pictureRemoved reactivated signInRefused signedIn signedOut',
  ),
  ...all(
    'client',
    'user',
    'browserAdded browserRemoved chatLinked chatUnlinked linkMade mfaDisabled passkeyAdded passkeyRemoved proofRefused recoveryCodeUsed recoveryCodesMade',
  ),
  ...all('client', 'user', 'stepUpRefused steppedUp updated'),
  ...all('client', 'users', 'exported'),
  ...all('client', 'view', 'deleted saved'),
]);

export const auditActions: readonly string[] = [...catalogue.keys()];

export const isInCatalogue = (action: string): boolean => catalogue.has(action);

export function auditVisibility(entry: Entry): Visibility {
  const rule = catalogue.get(entry.action) ?? 'internal';
  return typeof rule === 'function' ? rule(entry) : rule;
}
