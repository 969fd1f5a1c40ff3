/** What the mails of a case say. Every text here is escaped by the renderer; what stands in a subject is put on one line. */
import type { EmailAction, EmailSignature } from '@parapet/contract/caseMails.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { type MailAction, type MailContent, onOneLine } from '../../core/mail/render.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';

const subjectOf = (record: CaseRecord): string => `Case #${record.id}: ${onOneLine(record.title)}`;

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
  label: 'Open the case',
  url: `${origin}/apps/case/${record.id}`,
});

interface About {
  record: CaseRecord;
  client: string;
  origin: string;
  signature: EmailSignature;
  /** What happened, as an analyst or decisioning wrote it. */
  narrative: string;
}

const answers: Record<EmailAction, string> = {
  benign: 'We know this: it is benign',
  malicious: 'We do not know this: treat it as malicious',
};
export const answerLink = (origin: string, caseId: number, action: EmailAction, token: string): MailAction => ({
  label: answers[action],
  url: `${origin}/emailCaseAction?caseID=${caseId}&action=${action}&token=${token}`,
});

/** With the recipient's own links, or without any for those who get a copy. */
export const escalationMail = ({ record, client, origin, signature, narrative }: About, links: MailAction[]): MailContent => ({
  subject: subjectOf(record),
  title: 'A security case needs your answer',
  facts: factsOf(record, client),
  paragraphs: [narrative, 'Do you know what happened here, and was it meant to happen?'],
  actions: links,
  action: openCase(origin, record),
  notes: [
    ...(links.length > 0
      ? [
          'Only one answer counts, the first that any of you gives. The links work for 7 days and are for you alone: do not forward this mail.',
        ]
      : []),
    signed(signature),
  ],
});

export const updateMail = ({ record, client, origin, signature, narrative }: About): MailContent => ({
  subject: subjectOf(record),
  title: 'What is new in this case',
  facts: factsOf(record, client),
  paragraphs: [narrative],
  action: openCase(origin, record),
  notes: [signed(signature)],
});

export const narrativeMail = ({ record, client, origin, signature, narrative }: About): MailContent => ({
  subject: subjectOf(record),
  title: 'What happened in this case',
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

/** To whom the case belongs, when the client has answered. */
export const answerMail = (
  record: CaseRecord,
  { client, origin, action, recipient }: { client: string; origin: string; action: EmailAction; recipient: string },
): MailContent => ({
  subject: subjectOf(record),
  title: `The client says: ${action}`,
  facts: factsOf(record, client),
  paragraphs: [`The link that was mailed to ${recipient} was used to answer "${action}".`],
  action: openCase(origin, record),
});
