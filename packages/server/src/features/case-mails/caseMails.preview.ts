/** Preview of a case email: the fixed texts around the message, as renderMail writes them. */
import { type caseMailsApi, emailActions } from '@parapet/contract/caseMails.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { z } from 'zod';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type MailContent, renderMail } from '../../core/mail/render.ts';
import type { CaseRecord } from '../cases/cases.ports.ts';
import { answerLabels, customMail, escalationMail, narrativeMail, subjectOf } from './caseMails.content.ts';
import { aboutOf, type CaseMailsDeps, narrativeOf } from './caseMails.sending.ts';

export type PreviewInput = z.output<typeof caseMailsApi.preview.body>;
export type Preview = AnswerOf<typeof caseMailsApi.preview>;

/** Separates the message from the fixed texts; no text of an email contains it. */
const mark = '\u0000';
const personalLink = '(personal link)';

export async function previewOf(
  deps: CaseMailsDeps,
  tx: Tx,
  actor: Actor,
  record: CaseRecord,
  kind: PreviewInput['kind'],
  narrativeId: number | undefined,
): Promise<Preview> {
  const about = await aboutOf(deps, tx, actor, record, await narrativeOf(tx, record, narrativeId));
  const marked = { ...about, narrative: mark };
  const contents: Record<PreviewInput['kind'], () => MailContent> = {
    escalation: () =>
      escalationMail(
        marked,
        emailActions.map((action) => ({ label: answerLabels[action], url: personalLink })),
      ),
    update: () => narrativeMail(marked, 'Case update'),
    narrative: () => narrativeMail(marked, 'Case narrative'),
    custom: () => customMail(record, about.signature, subjectOf(record), mark),
  };
  const brand = await deps.brand.ofMails(tx, record.organisation_id);
  const [before = '', after = ''] = renderMail(brand, contents[kind]()).text.split(mark);
  return {
    subject: subjectOf(record),
    before: before.trim(),
    text: kind === 'custom' ? '' : about.narrative,
    after: after.trim(),
  };
}
