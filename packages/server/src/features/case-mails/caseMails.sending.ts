/** Parts that all case emails share: signature, recipients, outbox entry and log entry. */
import { isPartnerAnalyst } from '@parapet/contract/access.ts';
import type { CaseMail, EmailSignature } from '@parapet/contract/caseMails.ts';
import { problem } from '@parapet/contract/problem.ts';
import { socName } from '@parapet/contract/visibility.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import type { Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import type { MailContent } from '../../core/mail/render.ts';
import { summaryOfCase } from '../../domain/caseJudgement.ts';
import { findShownName } from '../../domain/visibility.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { CaseAccess, CaseChange, CaseLogEntry, CaseRecord, CaseTransitions } from '../cases/cases.ports.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import type { About } from './caseMails.content.ts';
import {
  findClient,
  findNarrative,
  findPhoneNumber,
  findProvider,
  insertNarrative,
  listCaseMails,
  listEscalationAddresses,
  wasJustSent,
} from './caseMails.store.ts';

/** Time within which the same email by the same person counts as a double click. */
const doubleClickMs = 60_000;

export interface CaseMailsDeps {
  db: Database;
  clock: Clock;
  brand: Pick<BrandService, 'ofMails' | 'partnerOf'>;
  outbox: Pick<OutboxService, 'queue' | 'isSending' | 'readable'>;
  cases: CaseAccess;
  transitions: Pick<CaseTransitions, 'applyStatus' | 'applyInvestigation' | 'reopen'>;
  /** From the configuration; the provider's own by default. */
  socAddress: string | undefined;
  mailFrom: string;
}

export interface Recipients {
  to: string[];
  cc: string[];
}
export interface QueuedMail {
  id: number;
  messageId: string;
}
/** Answer of a call that sends an email. */
export interface SentMail {
  message: string;
  mail: CaseMail;
}
type Narrative = Awaited<ReturnType<typeof findNarrative>>;

export const socOf = async ({ socAddress, mailFrom }: CaseMailsDeps, tx: Tx): Promise<string> =>
  socAddress ?? ((await findProvider(tx))?.emailAddress || mailFrom);

/** Spec §6: a partner analyst visible to the client by name signs by name, everyone else as the SOC with the partner’s details. */
export async function signatureFor(deps: CaseMailsDeps, tx: Tx, actor: Actor, organisationId: number): Promise<EmailSignature> {
  const partner = await deps.brand.partnerOf(tx, organisationId);
  const shown = isPartnerAnalyst(actor)
    ? await findShownName(tx, organisationId, { userId: actor.userId, name: actor.displayName })
    : socName;
  const isOwn = shown !== socName;
  const cc = { emailType: 'cc' as const, emailAddress: await socOf(deps, tx) };
  return {
    emailRecipientList: [...(await listEscalationAddresses(tx, organisationId)), cc],
    senderName: isOwn ? actor.displayName : socName,
    senderPhone: isOwn ? await findPhoneNumber(tx, actor.userId) : (partner?.phoneNumber ?? ''),
    senderEmail: isOwn ? actor.email : (partner?.emailAddress ?? ''),
    senderPartnerOrgID: partner?.clientOrganizationID ?? organisationId,
    senderPartnerOrgName: partner?.partnerName ?? '',
    socPhoneNumber: partner?.phoneNumber ?? '',
  };
}

/** Recipients without duplicates. Spec §9: the list of copies always ends with the SOC's address. */
export function recipientsOf({ emailRecipientList }: EmailSignature): Recipients {
  const of = (type: 'to' | 'cc') =>
    emailRecipientList.filter(({ emailType }) => emailType === type).map(({ emailAddress }) => emailAddress);
  const recipients = withoutDuplicates({ to: of('to'), cc: of('cc').slice(0, -1) }, of('cc').at(-1) as string);
  if (recipients.to.length === 0)
    throw problem.conflict(
      'This client has no escalation address of the kind To. Add one in the client’s details, then send the email again.',
    );
  return recipients;
}

/** Ignores letter case; the copies end with the SOC. */
export function withoutDuplicates({ to, cc }: Recipients, soc: string): Recipients {
  const seen = new Set([soc.toLowerCase()]);
  const isNew = (address: string): boolean => {
    const key = address.toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  return { to: to.filter(isNew), cc: [...cc.filter(isNew), soc] };
}

/** The named narrative of the case, or its newest. Throws notFound for a named one of another case. */
export async function narrativeOf(tx: Tx, record: CaseRecord, id?: number): Promise<Narrative> {
  const narrative = await findNarrative(tx, record, id);
  if (id !== undefined && !narrative) throw problem.notFound(`narrative of case ${record.id}`, id);
  return narrative;
}

/** Edits by the sender. */
export interface Edited {
  subject?: string | undefined;
  text?: string | undefined;
}

/** Stores an edited text as a narrative of the sender, so that portal and email show the client the same. */
export async function editedNarrative(
  { clock }: Pick<CaseMailsDeps, 'clock'>,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  narrative: Narrative,
  { text }: Edited,
): Promise<Narrative> {
  if (text === undefined || text === messageOf(record, narrative)) return narrative;
  return insertNarrative(tx, record, { userId: actor.userId, name: actor.displayName, text, at: new Date(clock.now()) });
}

/** The narrative; without one, the case’s summary or title. */
export const messageOf = (record: CaseRecord, narrative: Narrative): string =>
  narrative?.text ?? (summaryOfCase(record) || record.title);

/** Content of an email about the case; without a narrative, its summary or title. */
export const aboutOf = async (
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  narrative: Narrative,
): Promise<About> => ({
  signature: await signatureFor(deps, tx, actor, record.organisation_id),
  client: (await findClient(tx, 'system', record.organisation_id))?.name ?? '',
  origin: (await deps.brand.ofMails(tx, record.organisation_id)).origin,
  record,
  narrative: messageOf(record, narrative),
});

export async function queueMail(
  { outbox, clock }: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  {
    content,
    ...mail
  }: Recipients & {
    kind: 'case.escalation' | 'case.update' | 'case.narrative' | 'case.custom';
    content: MailContent;
    links?: string[];
    envelopeTo?: string[];
  },
): Promise<QueuedMail> {
  const queued = await outbox.queue(tx, {
    ...content,
    ...mail,
    organisationId: record.organisation_id,
    ofCase: { id: record.id, sentBy: { id: actor.userId, name: actor.displayName }, at: new Date(clock.now()) },
    thread: record.mail_thread,
  });
  return queued!;
}

/** Log entry and answer of every email. Throws conflict for a double click, which rolls the email back. */
export async function logMail(
  { outbox, cases, clock }: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  mail: QueuedMail,
  { to, cc }: Recipients,
  name: string,
  also: CaseChange['set'] = {},
): Promise<SentMail> {
  if (await wasJustSent(tx, mail.id, new Date(clock.now() - doubleClickMs)))
    throw problem.conflict('The same email was sent a moment ago.');
  const entry: CaseLogEntry = {
    action: 'case.mailed',
    history: { kind: 'mail', text: `${name} emailed to ${to.join(', ')}`.slice(0, 2000) },
    after: { mail: mail.id, to, cc },
  };
  const set = { ...(record.mail_thread ? {} : { mail_thread: mail.messageId }), ...also };
  if (Object.keys(set).length > 0) await cases.change(tx, actor, record, { ...entry, set });
  else await cases.recordHistory(tx, actor, record, entry);
  const [shown] = await listCaseMails(tx, scopeOf(actor), record, outbox.readable, mail.id);
  const message = outbox.isSending
    ? `${name} is on its way to ${to.join(', ')}.`
    : `${name} was not sent: no mail server configured.`;
  return { message: message.slice(0, 2000), mail: shown as CaseMail };
}
