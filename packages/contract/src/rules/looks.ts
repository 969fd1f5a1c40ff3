/** Words of the access log: looks of provider and partner staff into the data of a client (docs/decisions/0094-access-log.md). */

/** Kinds of data that a call reads. */
export const lookKinds = [
  'alerts',
  'cases',
  'devices',
  'vulnerabilities',
  'events',
  'users',
  'responses',
  'rules',
  'emails',
  'figures',
  'reports',
  'search',
  'sapphire',
  'settings',
  'audit',
] as const;
export type LookKind = (typeof lookKinds)[number];

/** Views whose every look is an entry of its own, with a reason of its own; a call names its view in the contract (`sensitive`). */
export const sensitiveViews = [
  'events',
  'eventFiles',
  'evidence',
  'users',
  'emails',
  'caseFiles',
  'auditFiles',
  'archive',
] as const;
export type SensitiveView = (typeof sensitiveViews)[number];

export const lookReasons = ['triage', 'customerRequest', 'investigation', 'maintenance', 'other'] as const;
export type LookReason = (typeof lookReasons)[number];

/** Ways by which data was read. */
export const lookChannels = ['portal', 'export', 'apiKey', 'assistant'] as const;
export type LookChannel = (typeof lookChannels)[number];

export const lookKindTexts: Record<LookKind, string> = {
  alerts: 'Alerts',
  cases: 'Cases',
  devices: 'Devices',
  vulnerabilities: 'Vulnerabilities',
  events: 'Events',
  users: 'Users',
  responses: 'Responses',
  rules: 'Rules',
  emails: 'Emails',
  figures: 'Figures',
  reports: 'Reports',
  search: 'Search',
  sapphire: 'Sapphire',
  settings: 'Settings',
  audit: 'Audit log',
};
export const sensitiveViewTexts: Record<SensitiveView, string> = {
  events: 'Raw events',
  eventFiles: 'Event export',
  evidence: 'Collected file',
  users: 'User accounts',
  emails: 'Sent emails',
  caseFiles: 'Case export',
  auditFiles: 'Audit log export',
  archive: 'Hand-over archive',
};
export const lookReasonTexts: Record<LookReason, string> = {
  triage: 'Triage',
  customerRequest: 'Customer request',
  investigation: 'Investigation',
  maintenance: 'Maintenance',
  other: 'Other',
};
export const lookChannelTexts: Record<LookChannel, string> = {
  portal: 'Portal',
  export: 'Export',
  apiKey: 'API key',
  assistant: 'Assistant',
};
export const noReasonText = 'No reason given';

/** Length of a shift from its first look, in milliseconds. */
export const shiftMs = 8 * 3_600_000;
/** Time for which one look into a sensitive view, and its reason, hold. */
export const sensitiveMs = 15 * 60_000;
export const maxReasonText = 200;

/** Reason as one text. */
export const reasonText = (reason: LookReason | null, text: string): string =>
  reason === null
    ? noReasonText
    : text === ''
      ? lookReasonTexts[reason]
      : reason === 'other'
        ? text
        : `${lookReasonTexts[reason]}: ${text}`;
