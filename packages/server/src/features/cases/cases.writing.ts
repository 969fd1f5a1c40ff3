/** Narratives, notes and manually added alerts, in the caller's transaction with the case locked. */
import type { AnalystCaseNote, CaseNarrative } from '@parapet/contract/caseDetail.ts';
import { foreignAlertText } from '@parapet/contract/cases.ts';
import { problem } from '@parapet/contract/problem.ts';
import { shortName } from '@parapet/contract/rules/cases.ts';
import type { Clock } from '../../core/clock.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import type { Actor } from '../../core/http/actor.ts';
import { lockCorrelation } from '../../domain/alerts-lock.ts';
import { queueTicketNote } from '../../domain/causes.ts';
import { findShownName } from '../../domain/visibility.ts';
import { changeCase, lockCase, recordCaseHistory } from './cases.changes.ts';
import { shownNarrative, shownNote } from './cases.detail.store.ts';
import { getCase } from './cases.detail.ts';
import type { CaseRecord, MoveAlert } from './cases.ports.ts';

const authorOf = async (tx: Tx, actor: Actor): Promise<string> => {
  const user = await tx
    .selectFrom('users')
    .select(['first_name', 'last_name'])
    .where('id', '=', actor.userId)
    .where('organisation_id', '=', actor.organisationId)
    .executeTakeFirst();
  return user ? shortName(user.first_name, user.last_name) : actor.displayName;
};

export async function saveNarrative(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  record: CaseRecord,
  input: { id?: number | undefined; text: string },
): Promise<CaseNarrative> {
  const { text } = input;
  const history = (what: string) => ({ kind: 'note' as const, text: what, isInternal: true });
  if (input.id === undefined) {
    const saved = await tx
      .insertInto('case_narratives')
      .values({
        organisation_id: record.organisation_id,
        case_id: record.id,
        author_user_id: actor.userId,
        author_name: await authorOf(tx, actor),
        text,
        started_at: new Date(clock.now()),
        email_sent_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordCaseHistory(tx, clock, actor, record, {
      action: 'case.narrativeSaved',
      history: history('Wrote a narrative'),
      after: { id: saved.id, text },
    });
    return shownNarrative(saved);
  }
  const before = await tx
    .selectFrom('case_narratives')
    .selectAll()
    .where('organisation_id', '=', record.organisation_id)
    .where('case_id', '=', record.id)
    .where('id', '=', input.id)
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw problem.notFound('narrative', input.id);
  if (before.email_sent_at) {
    throw problem.conflict(
      `Narrative ${input.id} was mailed to the client and stays as it was sent. Write a new one, and mail that.`,
    );
  }
  if (before.text === text) return shownNarrative(before);
  const saved = await tx
    .updateTable('case_narratives')
    // An edit makes the editor the author of a narrative by decisioning.
    .set({ text, is_generated: false, author_user_id: actor.userId, author_name: await authorOf(tx, actor) })
    .where('id', '=', before.id)
    .where('organisation_id', '=', record.organisation_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordCaseHistory(tx, clock, actor, record, {
    action: 'case.narrativeSaved',
    history: history('Changed a narrative'),
    before: { id: before.id, text: before.text },
    after: { id: before.id, text },
  });
  return shownNarrative(saved);
}

export async function saveNote(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  record: CaseRecord,
  input: { id?: number | undefined; text: string; isInternal: boolean },
): Promise<AnalystCaseNote> {
  const { text, isInternal } = input;
  const at = new Date(clock.now());
  if (input.id === undefined) {
    const saved = await tx
      .insertInto('case_notes')
      .values({
        organisation_id: record.organisation_id,
        case_id: record.id,
        author_user_id: actor.userId,
        author_name: await authorOf(tx, actor),
        text,
        is_internal: isInternal,
        created_at: at,
        changed_at: null,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordCaseHistory(tx, clock, actor, record, {
      action: 'case.noteSaved',
      history: { kind: 'note', text: isInternal ? 'Wrote an internal note' : 'Wrote a note', isInternal },
      after: { id: saved.id, text, isInternal },
    });
    await queueTicketNote(tx, { id: saved.id, occasion: 'new', at });
    return shownNote(saved, actor.userId);
  }
  const before = await tx
    .selectFrom('case_notes')
    .selectAll()
    .where('organisation_id', '=', record.organisation_id)
    .where('case_id', '=', record.id)
    .where('id', '=', input.id)
    .forUpdate()
    .executeTakeFirst();
  if (!before) throw problem.notFound('note', input.id);
  if (before.author_user_id !== actor.userId) {
    const author = await findShownName(tx, actor.organisationId, { userId: before.author_user_id, name: before.author_name });
    throw problem.forbidden(`Note ${input.id} is ${author}’s; only its author can change it. Write your own note instead.`);
  }
  if (before.text === text && before.is_internal === isInternal) return shownNote(before, actor.userId);
  const saved = await tx
    .updateTable('case_notes')
    .set({ text, is_internal: isInternal, changed_at: at })
    .where('id', '=', before.id)
    .where('organisation_id', '=', record.organisation_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordCaseHistory(tx, clock, actor, record, {
    action: 'case.noteSaved',
    // A client must not learn of a note that was or is internal.
    history: { kind: 'note', text: 'Changed a note', isInternal: isInternal || before.is_internal },
    before: { id: before.id, text: before.text, isInternal: before.is_internal },
    after: { id: before.id, text, isInternal },
  });
  await queueTicketNote(tx, { id: saved.id, occasion: at.toISOString(), at });
  return shownNote(saved, actor.userId);
}

/** Moves an alert into a case. The transaction checks that both belong to one organisation. */
export async function addAlert(
  tx: Tx,
  clock: Clock,
  actor: Actor,
  scope: Scope,
  { caseId, alertId }: { caseId: number; alertId: number },
  moveAlertManually: MoveAlert,
): Promise<CaseRecord> {
  const alert = await tx
    .selectFrom('alerts')
    .select(['id', 'at', 'organisation_id', 'rule_id as ruleId', 'criticality'])
    .where(within('organisation_id', scope))
    .where('id', '=', alertId)
    .executeTakeFirst();
  const record = await getCase(tx, scope, caseId);
  if (!alert) throw problem.notFound('alert', alertId);
  if (alert.organisation_id !== record.organisation_id) throw problem.invalid({ alertID: [foreignAlertText] }, foreignAlertText);
  // Blocks correlation and other moves of the alert until the commit.
  await lockCorrelation(tx, record.organisation_id);
  const found = await tx
    .selectFrom('case_alerts')
    .select('case_id')
    .where(within('organisation_id', scope))
    .where('alert_id', '=', alert.id)
    .where('alert_at', '=', alert.at)
    .executeTakeFirst();
  const from = found?.case_id;
  if (from === caseId) return record;
  // In the order of ids, as everywhere that locks several cases.
  for (const id of from === undefined ? [caseId] : [caseId, from].sort((a, b) => a - b)) await lockCase(tx, scope, id);

  await moveAlertManually(tx, record.organisation_id, alert, { from, to: caseId }, new Date(clock.now()));
  const current = await lockCase(tx, scope, caseId);
  const after = await changeCase(tx, clock, actor, current, {
    set: { needs_decision: true },
    action: 'case.alertAdded',
    history: {
      kind: 'alert',
      text: `Added alert ${alertId}${from === undefined ? '' : `, moved from case ${from}`}`,
    },
    before: { caseId: from ?? null },
    after: { alertId, caseId },
  });
  if (from !== undefined) {
    await changeCase(tx, clock, actor, await lockCase(tx, scope, from), {
      set: { needs_decision: true },
      action: 'case.alertMoved',
      history: { kind: 'alert', text: `Alert ${alertId} was moved to case ${caseId}` },
      before: { alertId, caseId: from },
      after: { alertId, caseId },
    });
  }
  return after;
}
