/** Mails that the portal sent, or keeps where no mail server is configured. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { clientId, id, instant, line, listOf, organisationId, page, paragraph, results } from './primitives.ts';

export const mailStates = ['kept', 'waiting', 'sent', 'failed'] as const;

export const mailRow = z.object({
  id: z.number().int().describe('Names the mail.'),
  createdAt: instant.describe('When it was written.'),
  clientOrganizationID: organisationId.describe('The organisation that it concerns.'),
  clientOrganizationName: line.describe('That organisation’s name.'),
  to: line.describe('Its recipients.'),
  subject: line.describe('Its subject.'),
  state: z
    .enum(mailStates)
    .describe('kept (no mail server is configured), waiting, sent (the server took it) or failed (given up).'),
  sentAt: instant.nullable().describe('When the mail server took it; null before.'),
  error: line.describe('What the mail server said last, when it refused; empty otherwise.'),
});
export type MailRow = z.infer<typeof mailRow>;

export const outboxApi = {
  list: endpoint({
    id: 'outbox.list',
    method: 'GET',
    path: '/outbox/:client',
    allow: 'outbox:read',
    freshness: 'none',
    summary: 'Mails, newest first.',
    params: z.object({ client: clientId.describe('The organisation; 0 for all in scope.') }),
    query: z.object({
      search: line.optional().describe('Part of a recipient or of the subject.'),
      state: listOf(z.enum(mailStates)).describe('Only these states.'),
      ...page,
    }),
    answer: results(mailRow, 200),
  }),
  get: endpoint({
    id: 'outbox.get',
    method: 'GET',
    path: '/outbox/mail/:id',
    allow: 'outbox:read',
    freshness: 'none',
    summary: 'One mail as text. Links that work by themselves are hidden until delivery, and removed with it.',
    params: z.object({ id: id.describe('The mail.') }),
    answer: mailRow.extend({
      from: line.describe('Its sender.'),
      cc: line.describe('Who gets a copy.'),
      text: paragraph.describe('Its text.'),
      linkUserID: id.nullable().describe('The user for whom it carried a one-time link; null where it carried none.'),
    }),
  }),
};
