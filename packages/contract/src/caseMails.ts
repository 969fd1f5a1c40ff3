/** Case emails: escalation, update, narrative and custom, and the client's answer by link (spec §3, §7.2, §7.4). */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { mailStates } from './outbox.ts';
import { clientId, id, instant, line, organisationId, paragraph, results } from './primitives.ts';
import { emailActions } from './rules/cases.ts';

const caseID = id.describe('Case ID.');
const emailAddress = z.string().trim().max(254).pipe(z.email('Enter an email address, such as name@example.com.').max(254));

export { type EmailAction, emailActions } from './rules/cases.ts';

/** Messages of the page /emailCaseAction (spec §8). */
export const emailActionTexts = {
  updated: 'Case has been updated and notification sent.',
  onlyOne: 'Only one response is accepted',
  badRequest: 'Bad request',
  failed: 'An error occurred while updating the case.',
  missing: 'Invalid case information.',
  unexpected: 'An unexpected error occurred.',
} as const;

export const caseMail = z.object({
  id: z.number().int().describe('Email ID.'),
  clientOrganizationID: organisationId.describe('The client.'),
  kind: z.enum(['escalation', 'update', 'narrative', 'custom', 'answer']).describe('Kind of case email.'),
  createdTime: instant.describe('Creation time.'),
  to: line.describe('Recipients.'),
  cc: line.describe('Copy recipients.'),
  subject: line.describe('Subject.'),
  text: paragraph.describe('Body, without the action links.'),
  sentBy: line.describe('Sender.'),
  state: z.enum(mailStates).describe('kept, waiting, sent or failed.'),
  sentTime: instant.nullable().describe('Time of acceptance by the mail server.'),
  error: line.describe('Error from the mail server.'),
});
export type CaseMail = z.infer<typeof caseMail>;

/** Signature of case emails (spec §3, §6). */
export const emailSignature = z.object({
  emailRecipientList: z
    .array(z.object({ emailType: z.enum(['to', 'cc']).describe('To or Cc.'), emailAddress: line.describe('Email address.') }))
    .max(60)
    .describe('Recipients; the copy list always ends with the SOC’s address.'),
  senderName: line.describe('Name of a partner analyst, otherwise SOC Analyst.'),
  senderPhone: line.describe('Phone number.'),
  senderEmail: line.describe('Email address.'),
  senderPartnerOrgID: organisationId.describe('Partner ID.'),
  senderPartnerOrgName: line.describe('Partner name.'),
  socPhoneNumber: line.describe('Phone number of the SOC.'),
});
export type EmailSignature = z.infer<typeof emailSignature>;

const queued = z.object({
  message: line.describe('Result message.'),
  mail: caseMail.describe('The email.'),
});
/** Edits of a preview. An edited text becomes a narrative of the sender, and the original stays a draft. */
const edited = {
  subject: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(/^[^\r\n]*$/, 'Enter the subject on one line.')
    .optional()
    .describe('Edited subject; omit for the one of the preview.'),
  text: z.string().trim().min(1).max(20_000).optional().describe('Edited text; omit for the one of the preview.'),
};
const ofCase = z.object({
  caseID,
  caseNarrativeID: id.optional().describe('Narrative to include; defaults to the newest.'),
  ...edited,
});

export const caseMailsApi = {
  preview: endpoint({
    id: 'caseMails.preview',
    route: 'POST /caseDetails/mailPreview',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Returns a case email as it would be sent. Changes nothing.',
    body: z.object({
      caseID,
      kind: z.enum(['escalation', 'update', 'narrative', 'custom']).describe('Kind of case email.'),
      caseNarrativeID: id.optional().describe('Narrative to include; defaults to the newest.'),
    }),
    answer: z.object({
      subject: line.describe('Subject, editable.'),
      before: paragraph.describe('Fixed text before the message.'),
      text: paragraph.describe('Message, editable; empty for a custom email.'),
      after: paragraph.describe('Fixed text after the message; links of the client’s answer are named only.'),
    }),
  }),
  sendEscalation: endpoint({
    id: 'caseMails.sendEscalation',
    route: 'POST /caseDetails/sendEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Escalates a case to the client by email with answer links. The case becomes escalated and waits for the client.',
    body: ofCase,
    answer: queued,
  }),
  sendUpdate: endpoint({
    id: 'caseMails.sendUpdate',
    route: 'POST /caseDetails/sendUpdatedCaseEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Emails the client an update on a case.',
    body: ofCase,
    answer: queued,
  }),
  signature: endpoint({
    id: 'caseMails.signature',
    route: 'GET /caseDetails/customEmail/:clientId',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Lists possible recipients and the signature of a custom email for a client’s case.',
    params: z.object({ clientId: id.describe('The client.') }),
    answer: emailSignature,
  }),
  sendCustom: endpoint({
    id: 'caseMails.sendCustom',
    route: 'POST /caseDetails/customEmail/:clientId',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Emails a custom text to users or stored escalation addresses of the client.',
    params: z.object({ clientId: id.describe('The client.') }),
    body: z.object({
      caseID,
      to: z.array(emailAddress).min(1).max(30).describe('Users or escalation addresses of the client.'),
      cc: z.array(emailAddress).max(30).default([]).describe('Copy recipients, chosen from the same list.'),
      subject: z.string().trim().min(1).max(200).describe('Subject on one line.'),
      text: z.string().trim().min(1).max(20_000).describe('Body.'),
    }),
    answer: queued,
  }),
  sendNarrative: endpoint({
    id: 'caseMails.sendNarrative',
    route: 'POST /caseDetails/sendAIDNarrativeEmail',
    allow: 'cases:mail',
    freshness: 'none',
    summary: 'Emails a narrative to the client.',
    body: z.object({ caseNarrativeID: id.describe('Narrative ID.'), ...edited }),
    answer: z.object({
      message: line.describe('Result message.'),
      emailSentTimestamp: instant.describe('Time at which it was queued.'),
    }),
  }),
  listOfCase: endpoint({
    id: 'caseMails.listOfCase',
    route: 'GET /caseDetails/getCaseMailsByCaseId/:clientOrgId',
    allow: 'caseMails:read',
    freshness: 'none',
    summary: 'Lists the emails of a case, newest first.',
    params: z.object({ clientOrgId: clientId.describe('Client of the case; 0 for any in scope.') }),
    query: z.object({ caseId: id.describe('Case ID.') }),
    answer: results(caseMail, 500),
  }),
  answerByLink: endpoint({
    id: 'caseMails.answerByLink',
    route: 'POST /CaseDetails/updateCase',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Records the client’s answer to an escalation. The emailed token authorises it, once.',
    query: z.object({
      caseID: line.optional().describe('Case ID, as in the body.'),
      action: line.optional().describe('Action, as in the body.'),
      token: line.optional().describe('Token, as in the body.'),
    }),
    body: z.object({
      caseId: z
        .union([z.string().max(20), z.number().int()])
        .optional()
        .describe('Case ID.'),
      action: z.string().max(40).optional().describe('benign or malicious.'),
      token: z.string().max(200).optional().describe('Emailed token.'),
    }),
    answer: z.object({
      message: line.describe('Result message; empty without a change.'),
      exception: z
        .object({ Message: line.describe('Reason for the refusal.') })
        .nullable()
        .describe('Refusal; null on success.'),
    }),
  }),
  answer: endpoint({
    id: 'caseMails.answer',
    route: 'POST /caseDetails/answer',
    allow: 'cases:answer',
    freshness: 'none',
    summary: 'Records the answer of a signed-in person of the client, in place of an emailed link. Only the first answer counts.',
    body: z.object({ caseID, action: z.enum(emailActions).describe('benign if the activity was expected, malicious if not.') }),
    answer: z.object({ message: line.describe('Result message.') }),
  }),
  /** Reveals nothing about the case. */
  answerNeedsPress: endpoint({
    id: 'caseMails.answerNeedsPress',
    route: 'POST /CaseDetails/updateCase/asks',
    allow: 'anyone',
    freshness: 'none',
    summary:
      'Returns whether the answer page must wait for a confirmation press. Unknown tokens get the same response as known ones.',
    body: z.object({ token: z.string().max(200).describe('Emailed token.') }),
    answer: z.object({ needsPress: z.boolean().describe('True when a press is required.') }),
  }),
};
