/** Emails sent by the portal, or retained when no mail server is configured. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, id, instant, line, listOf, organisationId, page, paragraph, results } from './primitives.ts';
import { queryParam } from './query.ts';

export const mailStates = ['kept', 'waiting', 'sent', 'failed'] as const;

export const mailRow = z.object({
  id: z.number().int().describe('Email ID.'),
  createdAt: instant.describe('Creation time.'),
  clientOrganizationID: organisationId.describe('Affected organisation.'),
  clientOrganizationName: line.describe('Organisation name.'),
  to: line.describe('Recipients.'),
  subject: line.describe('Subject.'),
  state: z
    .enum(mailStates)
    .describe('kept (no mail server is configured), waiting, sent (accepted by the mail server) or failed (given up).'),
  sentAt: instant.nullable().describe('Time of acceptance by the mail server; null before.'),
  error: line.describe('Last error from the mail server; empty without one.'),
});
export type MailRow = z.infer<typeof mailRow>;

export const outboxApi = {
  list: endpoint({
    id: 'outbox.list',
    route: 'GET /outbox/:client',
    allow: 'outbox:read',
    freshness: 'none',
    sensitive: 'emails',
    summary: 'Lists emails, newest first.',
    params: z.object({ client: clientId.describe('Organisation ID; 0 for all in scope.') }),
    query: z.object({
      search: line.optional().describe('Substring of a recipient or the subject.'),
      state: listOf(z.enum(mailStates)).describe('Filter by state.'),
      query: queryParam('mail'),
      ...page,
    }),
    answer: results(mailRow, 200),
  }),
  get: endpoint({
    id: 'outbox.get',
    route: 'GET /outbox/mail/:id',
    allow: 'outbox:read',
    freshness: 'none',
    sensitive: 'emails',
    summary: 'Returns one email as text. One-time links are hidden until delivery, and deleted with it.',
    params: z.object({ id: id.describe('Email ID.') }),
    answer: mailRow.extend({
      from: line.describe('Sender.'),
      cc: line.describe('Copy recipients.'),
      text: paragraph.describe('Body.'),
      linkUserID: id.nullable().describe('User of the one-time link in it; null without one.'),
    }),
  }),
};
