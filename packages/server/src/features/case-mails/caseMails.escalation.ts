/** Escalation of a case to the client, with personal answer links for each recipient. */
import { emailActions } from '@parapet/contract/caseMails.ts';
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { hashOfToken, newToken } from '../../core/secrets.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { type About, answerLink, escalationMail } from './caseMails.content.ts';
import {
  aboutOf,
  type CaseMailsDeps,
  type Edited,
  editedNarrative,
  logMail,
  narrativeOf,
  queueMail,
  type Recipients,
  recipientsOf,
  type SentMail,
} from './caseMails.sending.ts';
import { insertLinks, putNarrativeMailed } from './caseMails.store.ts';

const linkMs = 7 * dayMs;

/** Sets the case to escalated and waiting for the client, and emails the client. */
export async function escalate(
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  found: CaseRecord,
  narrativeId: number | undefined,
  edited: Edited,
): Promise<SentMail> {
  const escalated = await deps.transitions.applyStatus(tx, actor, found, 'escalated');
  const record = await deps.transitions.applyInvestigation(tx, actor, escalated, investigationStatusIds.waitingForClient);
  const narrative = await editedNarrative(deps, tx, actor, record, await narrativeOf(tx, record, narrativeId), edited);
  const about = { ...(await aboutOf(deps, tx, actor, record, narrative)), subject: edited.subject };
  const recipients = recipientsOf(about.signature);
  const at = new Date(deps.clock.now());
  // Recipients get personal links, copies none.
  const copy = await queueMail(deps, tx, actor, record, {
    kind: 'case.escalation',
    ...recipients,
    envelopeTo: recipients.cc,
    content: escalationMail(about, []),
  });
  const threaded = { ...record, mail_thread: record.mail_thread ?? copy.messageId };
  for (const recipient of recipients.to)
    await sendPersonal(deps, tx, actor, { ...about, record: threaded }, recipients, recipient, at);
  if (narrative) await putNarrativeMailed(tx, record, narrative.id, at);
  return logMail(deps, tx, actor, record, copy, recipients, 'Escalation', {
    client_question_at: at,
    client_answer: null,
    client_answered_at: null,
    client_answer_seen_at: null,
  });
}

async function sendPersonal(
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  about: About,
  recipients: Recipients,
  recipient: string,
  at: Date,
): Promise<void> {
  const { record, origin } = about;
  const links = emailActions.map((action) => {
    const token = newToken();
    return { action, token, button: answerLink(origin, record.id, action, token) };
  });
  const buttons = links.map(({ button }) => button);
  const { id: mailId } = await queueMail(deps, tx, actor, record, {
    kind: 'case.escalation',
    ...recipients,
    envelopeTo: [recipient],
    content: escalationMail(about, buttons),
    links: buttons.map(({ url }) => url),
  });
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
