/** What the pages of cases say: what was done (spec §8, decisions 19b), and why something cannot be done. */
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import type { CaseRow } from '@parapet/contract/caseList.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { type CaseStatus, mayFollow, openStatuses, statusLabel } from '@parapet/contract/rules/cases.ts';

export const said = {
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

/** The catalogue's text, and after it what the server said, where the caller can do something about it. */
export const failed = (text: string, error: unknown): string =>
  error instanceof Problem && error.status < 500 ? `${text} ${error.message}` : text;

/** Why the caller cannot; undefined where they can. */
export const disabledReason = {
  write: (may: boolean) => (may ? undefined : 'Your role reads cases; the analysts of your provider work on them.'),
  changeStatus: (may: boolean) => (may ? undefined : 'Your role cannot change the status of a case.'),
  markAlerts: (may: boolean) => (may ? undefined : 'Your role cannot mark alerts as seen or unseen.'),
  respond: (may: boolean) => (may ? undefined : 'Your role cannot isolate devices or block users.'),
  mail: (may: boolean) => (may ? undefined : 'Mails of a case are sent by the analysts of your provider.'),
  readMails: (may: boolean) => (may ? undefined : 'Your role cannot read the mails of a case.'),
  suppress: (may: boolean) => (may ? undefined : 'Suppressions are made by the analysts of your provider.'),
};

/** Why a status cannot come next; undefined where it can. */
export const whyNotStatus = (from: CaseStatus, to: CaseStatus): string | undefined =>
  from === to ? 'This is its status now' : mayFollow(from, to) ? undefined : `Cannot follow ${statusLabel(from)}`;

/** How a case closes: an escalated one keeps saying so. undefined where it is closed, or its status leads to no end. */
export const closingStatus = (from: CaseStatus): CaseStatus | undefined =>
  (['closed', 'escalated:closed'] as const).find((to) => mayFollow(from, to));

export const openFilter = openStatuses.join(',');

/** What the actions need to know of a case, whether it comes from a list or from its own page. */
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

/** Accounts of the system itself: blocking them would stop the machine, not the attacker. */
export const isBuiltInAccount = (name: string): boolean =>
  /^(?:nt authority|nt service|font driver host|window manager)\\|^(?:system|local service|network service|-)$|\$$/i.test(name);
