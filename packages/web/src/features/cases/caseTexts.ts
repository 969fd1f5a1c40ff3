/** Texts of the case pages: toasts (spec §8) and reasons for disabled actions. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type CaseStatus, mayFollow, openStatuses, statusLabel } from '@parapet/contract/rules/cases.ts';
import { visibleText } from '../../kit/visible.ts';

export const toastTexts = {
  case: 'Successfully updated case!',
  caseFailed: 'Failed to update case!',
  investigation: 'Successfully updated investigation status!',
  incorrect: 'Marked investigation status as incorrect and reopened case.',
  correctness: 'Successfully updated investigation status confirmation.',
  notes: 'Successfully saved analyst notes!',
  seen: 'Alert(s) Marked as Seen',
  unseen: 'Alert(s) Marked as Unseen',
  alertsFailed: 'Failed to fetch paginated alerts.',
  tasks: 'Successfully recorded response task(s)!',
  tasksFailed: 'Failed to record response task(s)!',
  narrativeMailed: 'Successfully sent AI Decisioning narrative email.',
  narrativeMailFailed: 'Failed to send AI Decisioning narrative email.',
} as const;

/** Failure text, followed by the server's message for errors that the user can fix. */
export const failureText = (text: string, error: unknown): string =>
  error instanceof Problem && error.status < 500 ? `${text} ${error.message}` : text;

/** Reason why an action is disabled; undefined where it is allowed. */
export const disabledReason = {
  write: (may: boolean) => (may ? undefined : 'Your role can view cases. Your provider’s analysts work on them.'),
  changeStatus: (may: boolean) => (may ? undefined : 'Your role can’t change the status of a case.'),
  markAlerts: (may: boolean) => (may ? undefined : 'Your role can’t mark alerts as seen or unseen.'),
  respond: (may: boolean) => (may ? undefined : 'Your role can’t isolate devices or block users.'),
  mail: (may: boolean) => (may ? undefined : 'Only your provider’s analysts can send case emails.'),
  readMails: (may: boolean) => (may ? undefined : 'Your role can’t read case emails.'),
  suppress: (may: boolean) => (may ? undefined : 'Only your provider’s analysts can create suppressions.'),
};

/** Reason why the case cannot be acknowledged; undefined when it can. */
export function acknowledgeFault({
  caseGeneralInfo: info,
  can,
}: Pick<CaseDetail, 'caseGeneralInfo' | 'can'>): string | undefined {
  if (info.acknowledgement) return `It was acknowledged before, by ${visibleText(info.acknowledgement.by || 'the portal')}.`;
  if (info.closedTime !== null) return 'It is closed.';
  return disabledReason.write(can.write);
}

/** The client's answer to an escalation, in words. */
export const clientAnswerLabel = { benign: 'Expected (benign)', malicious: 'Not expected (malicious)' } as const;

/** Reason why a status can't follow; undefined where it can. */
export const statusRefusal = (from: CaseStatus, to: CaseStatus): string | undefined =>
  from === to ? 'Current status' : mayFollow(from, to) ? undefined : `Can’t follow ${statusLabel(from)}`;

/** Closing status of a case; escalated cases keep their escalation. Undefined for closed cases. */
export const closingStatus = (from: CaseStatus): CaseStatus | undefined =>
  (['closed', 'escalated:closed'] as const).find((to) => mayFollow(from, to));

export const openFilter = openStatuses.join(',');

/** Fields of a case that actions need, from a list's row or from the case's detail. */
export type CaseLike = Pick<
  CaseRow,
  'id' | 'incidentID' | 'title' | 'status' | 'investigationStatus' | 'analyst' | 'analystUserAccountID' | 'clientOrganizationID'
>;

export const likeOf = ({ caseGeneralInfo: info }: CaseDetail): CaseLike => ({
  id: info.id,
  incidentID: info.incidentID,
  title: info.title,
  status: info.status,
  investigationStatus: info.investigationStatus,
  analyst: info.analyst,
  analystUserAccountID: info.assignedToUserAccount?.id ?? null,
  clientOrganizationID: info.clientOrganizationID,
});

/** System accounts; blocking them would stop the machine instead of the attacker. */
export const isBuiltInAccount = (name: string): boolean =>
  /^(?:nt authority|nt service|font driver host|window manager)\\|^(?:system|local service|network service|-)$|\$$/i.test(name);
