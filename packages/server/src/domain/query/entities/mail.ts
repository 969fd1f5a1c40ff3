/** Emails of the portal, as the outbox lists them. */
import type { MailRow } from '@parapet/contract/outbox.ts';
import { sql } from 'kysely';
import { column, inScope, organisationAttributes, timeParts, wordsOf } from '../attributes.ts';
import type { EntitySchema } from '../schema.ts';
import { addressOf, clientKey, of } from './columns.ts';

const stateWords: Record<MailRow['state'], readonly string[]> = {
  kept: ['kept', 'stored', 'retained'],
  waiting: ['waiting', 'queued', 'pending', 'unsent', 'not sent yet', 'stuck', 'in the queue'],
  sent: ['sent', 'delivered', 'gone out', 'went out', 'go out', 'accepted'],
  failed: [
    'failed',
    'undelivered',
    'bounced',
    'failed to deliver',
    'failed to send',
    'undeliverable',
    'not sent',
    'not gone out',
    'not go out',
    'not delivered',
    'given up',
    'could not be sent',
  ],
};

/** Of what queues emails; kinds in the database that are not listed here keep their name. */
const kindWords: Readonly<Record<string, readonly string[]>> = {
  'user.invited': ['invitation', 'invitations', 'invite'],
  'password.reset': ['password reset', 'password resets', 'reset link'],
  'password.changed': ['password changed', 'password change'],
  'password.known': ['breached password', 'known password'],
  'user.mfaSet': ['mfa set up', 'mfa notice'],
  'user.passkeyAdded': ['passkey added'],
  'user.passkeyRemoved': ['passkey removed'],
  'client.welcome': ['welcome', 'welcome mail', 'welcome email', 'welcome message', 'onboarding mail'],
  'setup.test': ['test mail', 'test email', 'test message'],
  'domain.unproven': ['domain notice', 'unproven domain'],
  'alarm.refusals': ['refusal alarm', 'refusals alarm'],
  'alarm.probing': ['probing alarm'],
  'alarm.signIns': ['sign-in alarm', 'login alarm'],
  'account.asked': ['account request', 'registration'],
  'case.escalation': ['escalation mail', 'escalation email', 'escalation', 'escalations'],
  'case.update': ['case update', 'case updates'],
  'case.narrative': ['case narrative', 'narrative'],
  'case.custom': ['custom case email', 'custom email'],
  'case.answer': ['case answer', 'answer confirmation'],
  'case.assigned': ['assignment notice', 'case assigned'],
  'case.escalated': ['escalation notice', 'case escalated'],
  'case.closed': ['closing notice', 'case closed'],
  'case.breached': ['breach mail', 'breach notice', 'breach email', 'target notice'],
  'response.approval': ['approval request', 'approval mail', 'approval requests'],
  'digest.daily': ['daily digest', 'daily digests'],
  'digest.weekly': ['weekly digest', 'weekly digests'],
  'report.monthly': ['monthly report', 'report mail', 'monthly reports', 'report email'],
};

export const mailSchema: EntitySchema = {
  entity: 'mail',
  title: ['email', 'emails'],
  words: wordsOf(
    'email, mail, e-mail, outgoing mail, outgoing email, outbox, sent mail, e-mail message, email message, mail message, outbound mail, outbound email, mailing',
  ),
  allow: 'outbox:read',
  named: 'subject',
  from: (row) => sql`mails ${row}`,
  within: inScope,
  id: (row) => column(row, 'id'),
  time: 'createdAt',
  attributes: {
    createdAt: {
      type: 'time',
      title: 'created',
      words: ['creation', 'time', 'date'],
      verbs: ['created', 'queued', 'written', 'made'],
      superlatives: { latest: ['newest', 'latest', 'most recent', 'last'], earliest: ['oldest', 'earliest', 'first'] },
      isShown: true,
      sql: of('created_at'),
    },
    ...organisationAttributes(),
    to: {
      type: 'text',
      title: 'to',
      words: ['recipient', 'to', 'to whom', 'addressee', 'receiver', 'address'],
      isShown: true,
      sql: (row) => sql`left(array_to_string(coalesce(${row}.envelope_to, ${row}.to_addresses), ', '), 2000)`,
    },
    subject: {
      type: 'text',
      title: 'subject',
      words: ['subject', 'title', 'subject line', 'about'],
      isShown: true,
      sql: of('subject'),
    },
    state: {
      type: 'choice',
      choices: stateWords,
      title: 'state',
      words: ['state', 'status', 'delivery'],
      isShown: true,
      sql: of('state'),
    },
    kind: {
      type: 'choice',
      choices: Object.fromEntries(Object.entries(kindWords).map(([kind, words]) => [kind, [...words, kind]])),
      title: 'kind',
      words: ['kind', 'type', 'kind of email', 'type of email', 'kind of mail', 'type of mail'],
      sql: of('kind'),
    },
    sentAt: {
      type: 'time',
      title: 'sent',
      words: ['sending', 'sending time', 'sent time', 'delivery time'],
      verbs: ['sent', 'delivered', 'gone out', 'went out', 'mailed', 'accepted'],
      isShown: true,
      sql: of('sent_at'),
    },
    error: { type: 'text', title: 'error', words: ['error', 'failure reason', 'reason', 'why'], sql: of('error') },
    hasError: {
      type: 'flag',
      title: 'with an error',
      words: ['delivery error'],
      yes: ['with an error', 'with errors', 'in trouble'],
      no: ['without an error', 'without errors'],
      sql: (row) => sql`${row}.error <> ''`,
    },
    case: { type: 'number', title: 'case', words: ['case', 'incident', 'case number'], sql: of('case_id') },
    text: {
      type: 'text',
      title: 'recipient or subject',
      words: ['text', 'keyword'],
      sql: (row) =>
        sql`concat_ws(chr(10), ${row}.subject, left(array_to_string(coalesce(${row}.envelope_to, ${row}.to_addresses), ', '), 2000))`,
    },
    ...timeParts((row) => column(row, 'created_at')),
  },
  keys: {
    mail: { sql: (row) => sql`${row}.id::text` },
    case: { sql: (row) => sql`${row}.case_id::text` },
    client: clientKey,
  },
  list: {
    page: 'outbox',
    path: ({ organisationId, name }) => addressOf('/apps/outbox', { client: organisationId, search: name }),
  },
  order: { field: 'createdAt', isAscending: false },
};
