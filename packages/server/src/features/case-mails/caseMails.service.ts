/**
 * Case emails to the client, and the client's answer by link (spec §3, §6, §7.2, §7.4). An email is queued in the transaction
 * that locks the case, in the system scope; locking the case checks the actor's scope.
 */
import type { CaseMail, EmailSignature } from '@parapet/contract/caseMails.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { createCaseAnswers } from './caseMails.answers.ts';
import { customMail, narrativeMail } from './caseMails.content.ts';
import { escalate } from './caseMails.escalation.ts';
import { type Preview, type PreviewInput, previewOf } from './caseMails.preview.ts';
import {
  aboutOf,
  type CaseMailsDeps,
  type Edited,
  editedNarrative,
  logMail,
  narrativeOf,
  queueMail,
  recipientsOf,
  type SentMail,
  signatureFor,
  withoutDuplicates,
} from './caseMails.sending.ts';
import { findCase, findCaseOfNarrative, listCaseMails, listKnownAddresses, putNarrativeMailed } from './caseMails.store.ts';

type NarrativeInput = { caseID: number; caseNarrativeID?: number | undefined } & Edited;
type CustomInput = { caseID: number; subject: string; text: string; to: string[]; cc: string[] };

export type CaseMailsService = ReturnType<typeof createCaseMailsService>;

export function createCaseMailsService(deps: CaseMailsDeps) {
  const { db, cases, outbox } = deps;
  const locked = <T>(actor: Actor, caseId: number, work: (tx: Tx, record: CaseRecord) => Promise<T>): Promise<T> =>
    scoped(db, 'system', async (tx) => work(tx, await cases.lock(tx, scopeOf(actor), caseId)));

  return {
    ...createCaseAnswers(deps),

    /** The email as it would leave, in the order in which it is read. */
    async preview(actor: Actor, { caseID, kind, caseNarrativeID }: PreviewInput): Promise<Preview> {
      const scope = scopeOf(actor);
      const found = await readScoped(db, scope, (tx) => cases.find(tx, scope, caseID));
      return readScoped(db, 'system', (tx) => previewOf(deps, tx, actor, found, kind, caseNarrativeID));
    },

    sendEscalation: (actor: Actor, { caseID, caseNarrativeID, ...edited }: NarrativeInput): Promise<SentMail> =>
      locked(actor, caseID, (tx, record) => escalate(deps, tx, actor, record, caseNarrativeID, edited)),

    sendUpdate: (actor: Actor, { caseID, caseNarrativeID, ...edited }: NarrativeInput): Promise<SentMail> =>
      locked(actor, caseID, async (tx, record) => {
        const narrative = await narrativeOf(tx, record, caseNarrativeID);
        return (await sendNarrative(deps, tx, actor, record, narrative, update, edited)).sent;
      }),

    async sendNarrative(
      actor: Actor,
      narrativeId: number,
      edited: Edited = {},
    ): Promise<{ message: string; emailSentTimestamp: string }> {
      const scope = scopeOf(actor);
      const caseId = await readScoped(db, scope, (tx) => findCaseOfNarrative(tx, scope, narrativeId));
      if (caseId === undefined) throw problem.notFound('narrative', narrativeId);
      return locked(actor, caseId, async (tx, record) => {
        const narrative = await narrativeOf(tx, record, narrativeId);
        const earlier = narrative?.email_sent_at?.toISOString();
        if (earlier) throw problem.conflict(`This narrative was emailed at ${earlier}. Write a new one instead.`);
        const { at } = await sendNarrative(deps, tx, actor, record, narrative, single, edited);
        return { message: 'Successfully sent AI Decisioning narrative email.', emailSentTimestamp: at.toISOString() };
      });
    },

    async signature(actor: Actor, clientId: number): Promise<EmailSignature> {
      scopeFor(actor, clientId);
      return readScoped(db, 'system', (tx) => signatureFor(deps, tx, actor, clientId));
    },

    async sendCustom(actor: Actor, clientId: number, { caseID, ...input }: CustomInput): Promise<SentMail> {
      scopeFor(actor, clientId);
      if (/[\r\n]/.test(input.subject)) throw problem.invalid({ subject: ['Write the subject on one line.'] });
      return locked(actor, caseID, async (tx, record) => {
        if (record.organisation_id !== clientId) throw problem.notFound('case', caseID);
        return sendCustom(deps, tx, actor, record, input);
      });
    },

    async listOfCase(actor: Actor, client: number, caseId: number): Promise<{ results: CaseMail[]; total: number }> {
      const scope = scopeFor(actor, client);
      const whole = scopeOf(actor);
      return readScoped(db, whole, async (tx) => {
        const found = await findCase(tx, scope, caseId);
        if (!found) throw problem.notFound('case', caseId);
        const results = await listCaseMails(tx, whole, found, outbox.readable);
        return { results, total: results.length };
      });
    },
  };
}

const update = { kind: 'case.update', name: 'Update', title: 'Case update' } as const;
const single = { kind: 'case.narrative', name: 'Narrative', title: 'Case narrative' } as const;

/** Emails a narrative to the client’s escalation contacts; without one, the case’s summary. */
async function sendNarrative(
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  found: Awaited<ReturnType<typeof narrativeOf>>,
  { kind, name, title }: typeof update | typeof single,
  edited: Edited,
): Promise<{ sent: SentMail; at: Date }> {
  const narrative = await editedNarrative(deps, tx, actor, record, found, edited);
  const about = { ...(await aboutOf(deps, tx, actor, record, narrative)), subject: edited.subject };
  const recipients = recipientsOf(about.signature);
  const mail = await queueMail(deps, tx, actor, record, {
    kind,
    ...recipients,
    content: narrativeMail(about, title),
  });
  const at = new Date(deps.clock.now());
  if (narrative) await putNarrativeMailed(tx, record, narrative.id, at);
  return { sent: await logMail(deps, tx, actor, record, mail, recipients, name), at };
}

/** Throws invalid for recipients who are neither users nor escalation addresses of the client. */
async function sendCustom(
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  { subject, text, to, cc: requested }: Omit<CustomInput, 'caseID'>,
): Promise<SentMail> {
  const signature = await signatureFor(deps, tx, actor, record.organisation_id);
  const soc = signature.emailRecipientList.at(-1)!.emailAddress;
  // The page returns the signature's list, which ends with the SOC.
  const cc = requested.filter((address) => address.toLowerCase() !== soc.toLowerCase());
  const addresses = [...to, ...cc].map((address) => address.toLowerCase());
  const known = await listKnownAddresses(tx, record.organisation_id, addresses);
  for (const [field, list] of Object.entries({ to, cc })) {
    const stranger = list.find((address) => !known.has(address.toLowerCase()));
    if (stranger !== undefined)
      throw problem.invalid({
        [field]: [`${stranger} is neither a user nor an escalation address of this client. Select another recipient.`],
      });
  }
  const recipients = withoutDuplicates({ to, cc }, soc);
  const content = customMail(record, signature, subject, text);
  const mail = await queueMail(deps, tx, actor, record, { kind: 'case.custom', ...recipients, content });
  return logMail(deps, tx, actor, record, mail, recipients, 'Email');
}
