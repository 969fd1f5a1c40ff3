/** Mails of a case: escalation, update, narrative and custom ones, and the client's answer by link (spec §3, §7.2, §7.4; decisions 12, 18). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { mailStates } from './outbox.ts';
import { clientId, id, instant, line, organisationId, paragraph, results } from './primitives.ts';

const caseID = id.describe('The case.');
const emailAddress = z.string().trim().max(254).pipe(z.email('Write an email address, such as name@example.com.').max(254));

export const emailActions = ['benign', 'malicious'] as const;
export type EmailAction = (typeof emailActions)[number];

/** What the page /emailCaseAction says (spec §8). */
export const emailActionTexts = {
  updated: 'Case has been updated and notification sent.',
  onlyOne: 'Only one response is accepted',
  badRequest: 'Bad request',
  failed: 'An error occurred while updating the case.',
  missing: 'Invalid case information.',
  unexpected: 'An unexpected error occurred.',
} as const;

export const caseMail = z.object({
  id: z.number().int().describe('Names the mail.'),
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(['escalation', 'update', 'narrative', 'custom', 'answer']).describe('Which kind of case mail.'),
  createdTime: instant.describe('When it was written.'),
  to: line.describe('Its recipients.'),
  cc: line.describe('Who gets a copy.'),
  subject: line.describe('Its subject.'),
  text: paragraph.describe('Its text, without the action links.'),
  sentBy: line.describe('Who sent it.'),
  state: z.enum(mailStates).describe('kept, waiting, sent or failed.'),
  sentTime: instant.nullable().describe('When the mail server took it.'),
  error: line.describe('What the mail server said, when it refused.'),
});
export type CaseMail = z.infer<typeof caseMail>;

/** Who signs the mails of a case (spec §3, §6). */
export const emailSignature = z.object({
  emailRecipientList: z
    .array(z.object({ emailType: z.enum(['to', 'cc']).describe('To or Cc.'), emailAddress: line.describe('The address.') }))
    .max(60)
    .describe('Who gets it; the list of copies always ends with the SOC’s address.'),
  senderName: line.describe('A partner analyst’s own name, else SOC Analyst.'),
  senderPhone: line.describe('Phone number.'),
  senderEmail: line.describe('Email address.'),
  senderPartnerOrgID: organisationId.describe('The partner.'),
  senderPartnerOrgName: line.describe('Its name.'),
  socPhoneNumber: line.describe('The SOC’s phone number.'),
});
export type EmailSignature = z.infer<typeof emailSignature>;

const queued = z.object({
  message: line.describe('What was done.'),
  mail: caseMail.describe('The mail.'),
});
const ofCase = z.object({
  caseID,
  caseNarrativeID: id.optional().describe('The narrative to put in; the newest one otherwise.'),
});

export const caseMailsApi = {
  sendEscalation: endpoint({
    id: 'caseMails.sendEscalation',
    method: 'POST',
    path: '/caseDetails/sendEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Escalates a case to the client by mail, with links to answer; the case becomes escalated and waits for the client.',
    body: ofCase,
    answer: queued,
  }),
  sendUpdate: endpoint({
    id: 'caseMails.sendUpdate',
    method: 'POST',
    path: '/caseDetails/sendUpdatedCaseEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Tells the client by mail what is new in a case.',
    body: ofCase,
    answer: queued,
  }),
  signature: endpoint({
    id: 'caseMails.signature',
    method: 'GET',
    path: '/caseDetails/customEmail/:clientId',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Who may get a custom mail of a client’s case, and who signs it.',
    params: z.object({ clientId: id.describe('The client.') }),
    answer: emailSignature,
  }),
  sendCustom: endpoint({
    id: 'caseMails.sendCustom',
    method: 'POST',
    path: '/caseDetails/customEmail/:clientId',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Mails a text of one’s own to users or stored escalation addresses of the client.',
    params: z.object({ clientId: id.describe('The client.') }),
    body: z.object({
      caseID,
      to: z.array(emailAddress).min(1).max(30).describe('Users or escalation addresses of the client.'),
      cc: z.array(emailAddress).max(30).default([]).describe('The same, as a copy.'),
      subject: z.string().trim().min(1).max(200).describe('The subject, on one line.'),
      text: z.string().trim().min(1).max(20_000).describe('The text.'),
    }),
    answer: queued,
  }),
  sendNarrative: endpoint({
    id: 'caseMails.sendNarrative',
    method: 'POST',
    path: '/caseDetails/sendAIDNarrativeEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Mails a narrative to the client.',
    body: z.object({ caseNarrativeID: id.describe('The narrative.') }),
    answer: z.object({
      message: line.describe('What was done.'),
      emailSentTimestamp: instant.describe('When it was handed to the mails.'),
    }),
  }),
  listOfCase: endpoint({
    id: 'caseMails.listOfCase',
    method: 'GET',
    path: '/caseDetails/getCaseMailsByCaseId/:clientOrgId',
    allow: 'caseMails:read',
    freshness: 'none',
    summary: 'Mails of a case, newest first.',
    params: z.object({ clientOrgId: clientId.describe('Its client; 0 for wherever it is in scope.') }),
    query: z.object({ caseId: id.describe('The case.') }),
    answer: results(caseMail, 500),
  }),
  answerByLink: endpoint({
    id: 'caseMails.answerByLink',
    method: 'POST',
    path: '/CaseDetails/updateCase',
    allow: 'anyone',
    freshness: 'none',
    summary: 'The client’s answer to an escalation: the mailed token decides, once.',
    query: z.object({
      caseID: line.optional().describe('As in the body.'),
      action: line.optional().describe('As in the body.'),
      token: line.optional().describe('As in the body.'),
    }),
    body: z.object({
      caseId: z
        .union([z.string().max(20), z.number().int()])
        .optional()
        .describe('The case.'),
      action: z.string().max(40).optional().describe('benign or malicious.'),
      token: z.string().max(200).optional().describe('The mailed token.'),
    }),
    answer: z.object({
      message: line.describe('What was done; empty where nothing was.'),
      exception: z
        .object({ Message: line.describe('Why not.') })
        .nullable()
        .describe('null where it was done.'),
    }),
  }),
  /** Whether the page may act by itself, or must wait for a press. Says nothing of the case. */
  answerNeedsPress: endpoint({
    id: 'caseMails.answerNeedsPress',
    method: 'POST',
    path: '/CaseDetails/updateCase/asks',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Whether the page of an answer by link must wait for a press; unknown tokens are answered like known ones.',
    body: z.object({ token: z.string().max(200).describe('The mailed token.') }),
    answer: z.object({ needsPress: z.boolean().describe('Whether a press is needed.') }),
  }),
};
