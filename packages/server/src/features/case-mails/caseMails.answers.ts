/**
 * The client's answer to an escalation: by an emailed link (spec §7.2, §8), whose token authenticates, or in the portal. Everything runs in the
 * system scope.
 */
import { type EmailAction, emailActionTexts } from '@parapet/contract/caseMails.ts';
import { problem } from '@parapet/contract/problem.ts';
import { investigationStatusIds, isClosed } from '@parapet/contract/rules/cases.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeOf } from '../../core/http/actor.ts';
import { hashOfToken } from '../../core/secrets.ts';
import { recordAudit } from '../../domain/audit.ts';
import { isAnswerable } from '../../domain/caseTimes.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { answerMail } from './caseMails.content.ts';
import { type CaseMailsDeps, socOf } from './caseMails.sending.ts';
import {
  consumeLink,
  consumeLinks,
  dropLinks,
  findClient,
  findLink,
  findProvider,
  findUserOf,
  needsPress,
} from './caseMails.store.ts';

interface Answer {
  message: string;
  exception: { Message: string } | null;
}
const refused = (text: string): Answer => ({ message: '', exception: { Message: text } });

export function createCaseAnswers(deps: CaseMailsDeps) {
  const { db, clock, brand, outbox, cases, transitions } = deps;

  /** Notifies the assigned analyst, otherwise the SOC. */
  const notifyAnswer = async (tx: Tx, record: CaseRecord, action: EmailAction, recipient: string): Promise<void> => {
    const analyst = record.analyst_user_id === null ? undefined : await findUserOf(tx, record.analyst_user_id);
    const client = await findClient(tx, 'system', record.organisation_id);
    // The notice uses the brand of its recipient's organisation.
    const organisationId = analyst?.organisationId ?? (await findProvider(tx))?.id ?? client?.parentId ?? record.organisation_id;
    const { origin } = await brand.ofMails(tx, organisationId);
    await outbox.queue(tx, {
      ...answerMail(record, { client: client?.name ?? '', origin, action, recipient }),
      organisationId,
      kind: 'case.answer',
      to: [analyst?.email ?? (await socOf(deps, tx))],
      ofCase: { id: record.id, at: new Date(clock.now()) },
      thread: record.mail_thread,
    });
  };

  /** Stores the first answer, which ends all links of the case, and notifies the analyst. */
  const recordAnswer = async (
    tx: Tx,
    actor: Actor | undefined,
    record: CaseRecord,
    { action, recipient, text }: { action: EmailAction; recipient: string; text: string },
  ): Promise<void> => {
    const now = new Date(clock.now());
    await consumeLinks(tx, record.id, now);
    const answered = await cases.change(tx, actor, record, {
      set: { client_answer: action, client_answered_at: now, client_answer_seen_at: null },
      action: 'case.answered',
      history: { kind: 'client', text },
      after: { action, recipient },
    });
    await notifyAnswer(tx, await applyAnswer(transitions, tx, actor, answered, action), action, recipient);
  };

  return {
    /** Returns a message in all cases, never an error status; the page /emailCaseAction shows it. */
    async answerByLink(
      given: { caseId: string | number | undefined; action: string | undefined; token: string | undefined },
      address: string,
    ): Promise<Answer> {
      const { caseId = '', action = '', token = '' } = given;
      if (caseId === '' || action === '' || token === '') return refused(emailActionTexts.missing);
      const hash = hashOfToken(token);
      return scoped(db, 'system', async (tx) => {
        const now = new Date(clock.now());
        const link = await findLink(tx, hash);
        if (!link || String(link.case_id) !== String(caseId) || link.action !== action || link.expires_at <= now)
          return refused(emailActionTexts.badRequest);
        const record = await cases.lock(tx, 'system', link.case_id);
        if (!(await consumeLink(tx, hash, now))) return refused(emailActionTexts.onlyOne);
        const answer = link.action as EmailAction;
        await recordAnswer(tx, undefined, record, {
          action: answer,
          recipient: link.recipient,
          text: `The client answered "${answer}" by the link emailed to ${link.recipient}`,
        });
        await recordAudit(
          tx,
          { userId: null, organisationId: record.organisation_id, address },
          {
            action: 'case.answered',
            organisationId: record.organisation_id,
            target: String(record.id),
            after: { action: answer, recipient: link.recipient },
          },
        );
        return { message: emailActionTexts.updated, exception: null };
      });
    },

    /** Throws conflict without an open question. */
    answer: (actor: Actor, { caseID, action }: { caseID: number; action: EmailAction }): Promise<{ message: string }> =>
      scoped(db, 'system', async (tx) => {
        const record = await cases.lock(tx, scopeOf(actor), caseID);
        if (!isAnswerable(record, clock.now()))
          throw problem.conflict(`Case ${caseID} has no open question. Only the first answer counts.`);
        await recordAnswer(tx, actor, record, {
          action,
          recipient: actor.email,
          text: `The client answered "${action}" in the portal`,
        });
        return { message: emailActionTexts.updated };
      }),

    answerNeedsPress: (token: string): Promise<boolean> => readScoped(db, 'system', (tx) => needsPress(tx, hashOfToken(token))),

    /** Hourly job: deletes expired links, which give the same answer as unknown ones. */
    dropOldLinks: (): Promise<void> => scoped(db, 'system', (tx) => dropLinks(tx, new Date(clock.now()))),
  };
}

/**
 * Benign returns an escalated case to the analysts; a case marked malicious or closed in the meantime stays so. Malicious always applies and reopens a
 * closed case.
 */
async function applyAnswer(
  transitions: CaseMailsDeps['transitions'],
  tx: Tx,
  actor: Actor | undefined,
  before: CaseRecord,
  action: EmailAction,
): Promise<CaseRecord> {
  let record = before;
  if (action === 'malicious') {
    if (isClosed(record.status))
      record = await transitions.reopen(tx, actor, record, { text: 'Reopened: answered as malicious by the client' });
    record = await transitions.applyStatus(tx, actor, record, 'malicious');
    return transitions.applyInvestigation(tx, actor, record, investigationStatusIds.malicious);
  }
  if (isClosed(record.status) || record.status === 'malicious') return record;
  if (record.status === 'escalated') record = await transitions.applyStatus(tx, actor, record, 'investigating');
  return transitions.applyInvestigation(tx, actor, record, investigationStatusIds.benign);
}
