/**
 * Case emails to the client, and the client's answer by link (spec §3, §6, §7.2, §7.4). An email is queued in the transaction
 * that locks the case, in the system scope; locking the case checks the actor's scope.
 */
import { isPartnerAnalyst } from '@parapet/contract/access.ts';
import { type CaseMail, type EmailSignature, emailActions } from '@parapet/contract/caseMails.ts';
import { problem } from '@parapet/contract/problem.ts';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { socName } from '@parapet/contract/visibility.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { MailContent } from '../../core/mail/render.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import { findShownName } from '../../domain/visibility.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { CaseAccess, CaseLogEntry, CaseRecord, CaseTransitions } from '../cases/cases.ports.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { createCaseAnswers } from './caseMails.answers.ts';
import { answerLink, customMail, escalationMail, narrativeMail, updateMail } from './caseMails.content.ts';
import {
  findCase,
  findCaseOfNarrative,
  findClient,
  findNarrative,
  findPhoneNumber,
  findProvider,
  insertLinks,
  listCaseMails,
  listEscalationAddresses,
  listKnownAddresses,
  putNarrativeMailed,
  wasJustSent,
} from './caseMails.store.ts';

const linkMs = 7 * 86_400_000;
/** Time within which the same email by the same person counts as a double click. */
const doubleClickMs = 60_000;

type Kind = 'case.escalation' | 'case.update' | 'case.narrative' | 'case.custom';
interface Recipients {
  to: string[];
  cc: string[];
}
interface Queued {
  message: string;
  mail: CaseMail;
}
export type CaseMailsService = ReturnType<typeof createCaseMailsService>;

export function createCaseMailsService({
  db,
  clock,
  brand,
  outbox,
  cases,
  transitions,
  socAddress,
  mailFrom,
}: {
  db: Database;
  clock: Clock;
  brand: Pick<BrandService, 'ofMails' | 'partnerOf'>;
  outbox: Pick<OutboxService, 'queue' | 'isSending' | 'readable'>;
  cases: CaseAccess;
  transitions: Pick<CaseTransitions, 'applyStatus' | 'applyInvestigation' | 'reopen'>;
  /** From the configuration; the provider's own by default. */
  socAddress: string | undefined;
  mailFrom: string;
}) {
  const socOf = async (tx: Tx): Promise<string> => socAddress ?? ((await findProvider(tx))?.emailAddress || mailFrom);

  /** Spec §6: a partner analyst visible to the client by name signs by name, everyone else as the SOC with the partner’s details. */
  const signatureFor = async (tx: Tx, actor: Actor, organisationId: number): Promise<EmailSignature> => {
    const partner = await brand.partnerOf(tx, organisationId);
    const shown = isPartnerAnalyst(actor)
      ? await findShownName(tx, organisationId, { userId: actor.userId, name: actor.displayName })
      : socName;
    const isOwn = shown !== socName;
    const cc = { emailType: 'cc' as const, emailAddress: await socOf(tx) };
    return {
      emailRecipientList: [...(await listEscalationAddresses(tx, organisationId)), cc],
      senderName: isOwn ? actor.displayName : socName,
      senderPhone: isOwn ? await findPhoneNumber(tx, actor.userId) : (partner?.phoneNumber ?? ''),
      senderEmail: isOwn ? actor.email : (partner?.emailAddress ?? ''),
      senderPartnerOrgID: partner?.clientOrganizationID ?? organisationId,
      senderPartnerOrgName: partner?.partnerName ?? '',
      socPhoneNumber: partner?.phoneNumber ?? '',
    };
  };

  /** Recipients without duplicates. Spec §9: the list of copies always ends with the SOC's address. */
  const recipientsOf = (signature: EmailSignature): Recipients => {
    const of = (type: 'to' | 'cc') =>
      signature.emailRecipientList.filter(({ emailType }) => emailType === type).map(({ emailAddress }) => emailAddress);
    const soc = of('cc').at(-1) as string;
    const { to, cc } = once({ to: of('to'), cc: of('cc').slice(0, -1) }, soc);
    if (to.length === 0)
      throw problem.conflict(
        'This client has no escalation address of the kind To. Add one in the client’s details, then send the email again.',
      );
    return { to, cc };
  };

  const aboutOf = async (tx: Tx, actor: Actor, record: CaseRecord) => ({
    signature: await signatureFor(tx, actor, record.organisation_id),
    client: (await findClient(tx, 'system', record.organisation_id))?.name ?? '',
    origin: (await brand.ofMails(tx, record.organisation_id)).origin,
  });

  const narrativeOf = async (tx: Tx, record: CaseRecord, id?: number) => {
    const narrative = await findNarrative(tx, record, id);
    if (id !== undefined && !narrative) throw problem.notFound(`narrative of case ${record.id}`, id);
    return narrative;
  };

  const queueOne = async (
    tx: Tx,
    actor: Actor,
    record: CaseRecord,
    {
      kind,
      content,
      links = [],
      envelopeTo,
      ...recipients
    }: Recipients & { kind: Kind; content: MailContent; links?: string[]; envelopeTo?: string[] },
  ): Promise<{ id: number; messageId: string }> => {
    const queued = await outbox.queue(tx, {
      ...content,
      ...recipients,
      kind,
      links,
      organisationId: record.organisation_id,
      ofCase: { id: record.id, sentBy: { id: actor.userId, name: actor.displayName }, at: new Date(clock.now()) },
      thread: record.mail_thread,
      ...(envelopeTo && { envelopeTo }),
    });
    return queued!;
  };

  /** Log entry and answer of every email. Throws conflict for a double click, which rolls the email back. */
  const finish = async (
    tx: Tx,
    actor: Actor,
    record: CaseRecord,
    mail: { id: number; messageId: string },
    { to, cc }: Recipients,
    what: string,
  ): Promise<Queued> => {
    if (await wasJustSent(tx, mail.id, new Date(clock.now() - doubleClickMs)))
      throw problem.conflict('The same email was sent a moment ago.');
    const entry: CaseLogEntry = {
      action: 'case.mailed',
      history: { kind: 'mail', text: `${what} emailed to ${to.join(', ')}`.slice(0, 2000) },
      after: { mail: mail.id, to, cc },
    };
    if (record.mail_thread) await cases.recordHistory(tx, actor, record, entry);
    else await cases.change(tx, actor, record, { ...entry, set: { mail_thread: mail.messageId } });
    const [shown] = await listCaseMails(tx, scopeOf(actor), record, outbox.readable, mail.id);
    const message = outbox.isSending
      ? `${what} is on its way to ${to.join(', ')}.`
      : `${what} was not sent: no mail server configured.`;
    return { message: message.slice(0, 2000), mail: shown as CaseMail };
  };

  const locked = <T>(
    actor: Actor,
    caseId: number,
    work: (tx: Tx, record: CaseRecord, scope: Scope) => Promise<T>,
  ): Promise<T> => {
    const scope = scopeOf(actor);
    return scoped(db, 'system', async (tx) => work(tx, await cases.lock(tx, scope, caseId), scope));
  };

  return {
    ...createCaseAnswers({ db, clock, brand, outbox, cases, transitions, socOf }),

    sendEscalation: (actor: Actor, { caseID, caseNarrativeID }: { caseID: number; caseNarrativeID?: number | undefined }) =>
      locked(actor, caseID, async (tx, found): Promise<Queued> => {
        let record = await transitions.applyStatus(tx, actor, found, 'escalated');
        record = await transitions.applyInvestigation(tx, actor, record, investigationStatusIds.waitingForClient);
        const narrative = await narrativeOf(tx, record, caseNarrativeID);
        const about = {
          ...(await aboutOf(tx, actor, record)),
          record,
          narrative: narrative?.text ?? (record.summary || record.title),
        };
        const recipients = recipientsOf(about.signature);
        const at = new Date(clock.now());
        // Recipients get personal links, copies none.
        const copy = await queueOne(tx, actor, record, {
          kind: 'case.escalation',
          ...recipients,
          envelopeTo: recipients.cc,
          content: escalationMail(about, []),
        });
        for (const recipient of recipients.to) {
          const links = emailActions.map((action) => {
            const token = newToken();
            return { action, token, button: answerLink(about.origin, record.id, action, token) };
          });
          const { id: mailId } = await queueOne(
            tx,
            actor,
            { ...record, mail_thread: record.mail_thread ?? copy.messageId },
            {
              kind: 'case.escalation',
              ...recipients,
              envelopeTo: [recipient],
              content: escalationMail(
                about,
                links.map(({ button }) => button),
              ),
              links: links.map(({ button }) => button.url),
            },
          );
          await insertLinks(
            tx,
            links.map(({ action, token }) => ({
              hash: hashOfToken(token),
              organisationId: record.organisation_id,
              caseId: record.id,
              mailId,
              action,
              recipient,
              at,
              expiresAt: new Date(at.getTime() + linkMs),
            })),
          );
        }
        if (narrative) await putNarrativeMailed(tx, record, narrative.id, at);
        return finish(tx, actor, record, copy, recipients, 'Escalation');
      }),

    sendUpdate: (actor: Actor, { caseID, caseNarrativeID }: { caseID: number; caseNarrativeID?: number | undefined }) =>
      locked(actor, caseID, async (tx, record): Promise<Queued> => {
        const narrative = await narrativeOf(tx, record, caseNarrativeID);
        const about = {
          ...(await aboutOf(tx, actor, record)),
          record,
          narrative: narrative?.text ?? (record.summary || record.title),
        };
        const recipients = recipientsOf(about.signature);
        const mail = await queueOne(tx, actor, record, { kind: 'case.update', ...recipients, content: updateMail(about) });
        if (narrative) await putNarrativeMailed(tx, record, narrative.id, new Date(clock.now()));
        return finish(tx, actor, record, mail, recipients, 'Update');
      }),

    async sendNarrative(actor: Actor, narrativeId: number): Promise<{ message: string; emailSentTimestamp: string }> {
      const scope = scopeOf(actor);
      const caseId = await scoped(db, scope, (tx) => findCaseOfNarrative(tx, scope, narrativeId), { readOnly: true });
      if (caseId === undefined) throw problem.notFound('narrative', narrativeId);
      return locked(actor, caseId, async (tx, record) => {
        const narrative = await narrativeOf(tx, record, narrativeId);
        if (narrative!.email_sent_at)
          throw problem.conflict(
            `This narrative was emailed at ${narrative!.email_sent_at.toISOString()}. Write a new one instead.`,
          );
        const about = { ...(await aboutOf(tx, actor, record)), record, narrative: narrative!.text };
        const recipients = recipientsOf(about.signature);
        const mail = await queueOne(tx, actor, record, { kind: 'case.narrative', ...recipients, content: narrativeMail(about) });
        const at = new Date(clock.now());
        await putNarrativeMailed(tx, record, narrativeId, at);
        await finish(tx, actor, record, mail, recipients, 'Narrative');
        return { message: 'Successfully sent AI Decisioning narrative email.', emailSentTimestamp: at.toISOString() };
      });
    },

    async signature(actor: Actor, clientId: number): Promise<EmailSignature> {
      scopeFor(actor, clientId);
      return scoped(db, 'system', (tx) => signatureFor(tx, actor, clientId), { readOnly: true });
    },

    async sendCustom(
      actor: Actor,
      clientId: number,
      { caseID, subject, text, ...requested }: { caseID: number; subject: string; text: string; to: string[]; cc: string[] },
    ): Promise<Queued> {
      scopeFor(actor, clientId);
      if (/[\r\n]/.test(subject)) throw problem.invalid({ subject: ['Write the subject on one line.'] });
      return locked(actor, caseID, async (tx, record) => {
        if (record.organisation_id !== clientId) throw problem.notFound('case', caseID);
        const { signature } = await aboutOf(tx, actor, record);
        const soc = signature.emailRecipientList.at(-1)!.emailAddress;
        // The page returns the signature's list, which ends with the SOC.
        const cc = requested.cc.filter((address) => address.toLowerCase() !== soc.toLowerCase());
        const known = await listKnownAddresses(
          tx,
          clientId,
          [...requested.to, ...cc].map((address) => address.toLowerCase()),
        );
        for (const [field, list] of [
          ['to', requested.to],
          ['cc', cc],
        ] as const) {
          const stranger = list.find((address) => !known.has(address.toLowerCase()));
          if (stranger !== undefined)
            throw problem.invalid({
              [field]: [`${stranger} is neither a user nor an escalation address of this client. Select another recipient.`],
            });
        }
        const recipients = once({ to: requested.to, cc }, soc);
        const content = customMail(record, signature, subject, text);
        const mail = await queueOne(tx, actor, record, { kind: 'case.custom', ...recipients, content });
        return finish(tx, actor, record, mail, recipients, 'Email');
      });
    },

    async listOfCase(actor: Actor, client: number, caseId: number): Promise<{ results: CaseMail[]; total: number }> {
      const scope = scopeFor(actor, client);
      const whole = scopeOf(actor);
      return scoped(
        db,
        whole,
        async (tx) => {
          const found = await findCase(tx, scope, caseId);
          if (!found) throw problem.notFound('case', caseId);
          const results = await listCaseMails(tx, whole, found, outbox.readable);
          return { results, total: results.length };
        },
        { readOnly: true },
      );
    },
  };
}

/** Removes duplicates regardless of letter case; the copies end with the SOC. */
function once({ to, cc }: Recipients, soc: string): Recipients {
  const seen = new Set([soc.toLowerCase()]);
  const isNew = (address: string): boolean => {
    const key = address.toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  return { to: to.filter(isNew), cc: [...cc.filter(isNew), soc] };
}
