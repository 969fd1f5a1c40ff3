/** Words of the access log: accesses of provider and partner staff to the data of a client (docs/decisions/0094-access-log.md). */
import { hourMs } from './duration.ts';

/** Kinds of data that a call reads. */
export const accessKinds = [
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
export type AccessKind = (typeof accessKinds)[number];

/** Views whose every access is an entry of its own, with a reason of its own; a call names its view in the contract (`sensitive`). */
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

export const accessReasons = ['triage', 'customerRequest', 'investigation', 'maintenance', 'other'] as const;
export type AccessReason = (typeof accessReasons)[number];

/** Ways by which data was read. */
export const accessChannels = ['portal', 'export', 'apiKey', 'assistant'] as const;
export type AccessChannel = (typeof accessChannels)[number];

export const accessKindTexts: Record<AccessKind, string> = {
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
export const accessReasonTexts: Record<AccessReason, string> = {
  triage: 'Triage',
  customerRequest: 'Customer request',
  investigation: 'Investigation',
  maintenance: 'Maintenance',
  other: 'Other',
};
export const accessChannelTexts: Record<AccessChannel, string> = {
  portal: 'Portal',
  export: 'Export',
  apiKey: 'API key',
  assistant: 'Assistant',
};
export const noReasonText = 'No reason given';

/** Length of a shift from its first access, in milliseconds. */
export const shiftMs = 8 * hourMs;
/** Time for which one access to a sensitive view, and its reason, hold. */
export const sensitiveMs = 15 * 60_000;
export const maxReasonText = 200;

/** Reason as one text. */
export const reasonText = (reason: AccessReason | null, text: string): string =>
  reason === null
    ? noReasonText
    : text === ''
      ? accessReasonTexts[reason]
      : reason === 'other'
        ? text
        : `${accessReasonTexts[reason]}: ${text}`;
