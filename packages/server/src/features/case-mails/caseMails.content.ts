/** Contents of case emails. The renderer escapes every text; subjects are reduced to one line. */
import type { EmailAction, EmailSignature } from '@parapet/contract/caseMails.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { type MailAction, type MailContent, onOneLine } from '../../core/mail/render.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';

export const subjectOf = (record: CaseRecord): string => `Case #${record.id}: ${onOneLine(record.title)}`;

const severityName = (criticality: number): string => {
  const severity = severityOf(criticality);
  return `${severity[0]?.toUpperCase()}${severity.slice(1)}`;
};

const factsOf = (record: CaseRecord, client: string): [string, string][] => [
  ['Case', `#${record.id} ${onOneLine(record.title, 300)}`],
  ['Client', client],
  ['Severity', severityName(record.criticality)],
  ['Status', `${statusLabel(record.status)}, ${investigationStatusName(record.investigation_status).toLowerCase()}`],
  ['Opened', `${record.created_at.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
];

const signed = ({ senderName, senderPartnerOrgName, senderPhone, senderEmail }: EmailSignature): string =>
  [senderName, senderPartnerOrgName, senderPhone, senderEmail].filter(Boolean).join('\n');

const openCase = (origin: string, record: CaseRecord): MailAction => ({
  label: 'Open case',
  url: `${origin}/apps/case/${record.id}`,
});

export interface About {
  record: CaseRecord;
  client: string;
  origin: string;
  signature: EmailSignature;
  /** Narrative by an analyst or by decisioning. */
  narrative: string;
  /** Edited subject. */
  subject?: string | undefined;
}

export const answerLabels: Record<EmailAction, string> = {
  benign: 'Expected (benign)',
  malicious: 'Not expected (malicious)',
};
export const answerLink = (origin: string, caseId: number, action: EmailAction, token: string): MailAction => ({
  label: answerLabels[action],
  url: `${origin}/emailCaseAction?caseID=${caseId}&action=${action}&token=${token}`,
});

/** Contains the recipient's own links, none for a copy. */
export const escalationMail = (
  { record, client, origin, signature, narrative, subject = subjectOf(record) }: About,
  links: MailAction[],
): MailContent => ({
  subject,
  title: 'A security case needs your answer',
  facts: factsOf(record, client),
  paragraphs: [narrative, 'Was this activity expected?'],
  actions: links,
  action: openCase(origin, record),
  notes: [
    ...(links.length > 0
      ? [
          'Only the first answer of all recipients counts. The links are personal and expire after 7 days: do not forward this email.',
        ]
      : []),
    signed(signature),
  ],
});

export const narrativeMail = (
  { record, client, origin, signature, narrative, subject = subjectOf(record) }: About,
  title: 'Case update' | 'Case narrative',
): MailContent => ({
  subject,
  title,
  facts: factsOf(record, client),
  paragraphs: [narrative],
  action: openCase(origin, record),
  notes: [signed(signature)],
});

export const customMail = (record: CaseRecord, signature: EmailSignature, subject: string, text: string): MailContent => ({
  subject,
  title: `Case #${record.id}`,
  paragraphs: [text],
  notes: [signed(signature)],
});

/** Notice of the client's answer to the assigned analyst or the SOC. */
export const answerMail = (
  record: CaseRecord,
  { client, origin, action, recipient }: { client: string; origin: string; action: EmailAction; recipient: string },
): MailContent => ({
  subject: subjectOf(record),
  title: `Client answer: ${action}`,
  facts: factsOf(record, client),
  paragraphs: [`The link emailed to ${recipient} was used to answer "${action}".`],
  action: openCase(origin, record),
});
