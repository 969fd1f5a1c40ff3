/** Closing of a case: its open items, and a resolution with its reason (docs/decisions/0039-closing-and-true-states.md). */
import type { Closing } from '@parapet/contract/caseClosing.ts';
import { problem } from '@parapet/contract/problem.ts';
import { isOpenFor, type OpenItemKind, openItemKinds, resolutionLabel } from '@parapet/contract/rules/cases.ts';
import { canSeeInternal } from '@parapet/contract/visibility.ts';
import { sql } from 'kysely';
import type { Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { judgementOfCase } from '../../domain/caseJudgement.ts';
import { isQuestionOpen } from '../../domain/caseTimes.ts';
import type { CaseLogEntry, CaseRecord, Resolving } from './cases.ports.ts';

export interface OpenItem {
  kind: OpenItemKind;
  count: number;
}

/** Open items by case, without those that have none. */
export async function listOpenItems(tx: Tx, records: readonly CaseRecord[]): Promise<Map<number, OpenItem[]>> {
  const ids = records.map(({ id }) => id);
  const { rows } = await sql<{ id: number; tasks: number }>`select case_id as id, count(*)::integer as tasks from case_tasks
    where case_id = any(${ids}::integer[]) and organisation_id = any(${records.map((record) => record.organisation_id)}::integer[])
      and not is_sent group by 1`.execute(tx);
  const tasks = new Map(rows.map((row) => [row.id, row.tasks]));
  return new Map(
    records.flatMap((record) => {
      const counts: Record<OpenItemKind, number> = {
        tasks: tasks.get(record.id) ?? 0,
        alerts: Math.max(0, record.new_count),
        containment: Number(record.contained_at === null),
        question: Number(isQuestionOpen(record)),
      };
      const items = openItemKinds.map((kind) => ({ kind, count: counts[kind] })).filter(({ count }) => count > 0);
      return items.length > 0 ? [[record.id, items]] : [];
    }),
  );
}

/** Critical cases, and those whose standing verdict is Malicious, close only with every open item done, or with a reason why not. */
export const mustAnswer = (record: CaseRecord): boolean => {
  const { severity, verdict } = judgementOfCase(record);
  return severity === 'critical' || verdict === 'Malicious';
};

const faultOf: Record<OpenItemKind, (count: number) => string> = {
  tasks: (count) => `${count} unsent ${count === 1 ? 'task' : 'tasks'}. Send them, or enter why not.`,
  alerts: (count) => `${count} unseen ${count === 1 ? 'alert' : 'alerts'}. Review them, or enter why not.`,
  containment: () => 'No verified containment. Contain the threat, or enter why none was needed.',
  question: () => 'The client has not answered. Wait for the answer, or enter why not.',
};

const unanswered = (items: readonly OpenItem[], { resolution, answers = {} }: Resolving): OpenItem[] =>
  items.filter(({ kind }) => isOpenFor(kind, resolution) && !answers[kind]);

/** Answers to items that are open; the others have none. */
export const answersTo = (items: readonly OpenItem[], { resolution, answers = {} }: Resolving): Closing['answers'] =>
  Object.fromEntries(items.flatMap(({ kind }) => (isOpenFor(kind, resolution) && answers[kind] ? [[kind, answers[kind]]] : [])));

/** Throws invalid without a reason, and for open items of a critical or malicious case without an answer. People of the client are exempt. */
export function checkClosing(actor: Actor, record: CaseRecord, items: readonly OpenItem[], closing: Resolving): void {
  if (!canSeeInternal(actor)) return;
  const faults: Record<string, string[]> = {};
  if (closing.reason === '') faults['closing.reason'] = ['Enter the reason of this resolution.'];
  if (mustAnswer(record)) {
    for (const { kind, count } of unanswered(items, closing)) faults[`closing.answers.${kind}`] = [faultOf[kind](count)];
  }
  if (Object.keys(faults).length > 0) throw problem.invalid(faults);
}

/** Error text for a case that a bulk job must not close; undefined otherwise. */
export const bulkFault = (record: CaseRecord, items: readonly OpenItem[], closing: Resolving): string | undefined =>
  mustAnswer(record) && unanswered(items, closing).length > 0
    ? `Case ${record.id} is critical or malicious and has open items. Close it on its own page.`
    : undefined;

/** Reason why no containment was needed; undefined where none was stated. */
export const containmentReason = ({ resolution, reason, answers }: Resolving): string | undefined =>
  answers?.containment || (isOpenFor('containment', resolution) ? undefined : reason || resolutionLabel(resolution));

/** Internal log entry of an analyst's reasons; undefined without any. */
export function reasonsEntry(closing: Resolving): CaseLogEntry | undefined {
  const { resolution, reason, answers = {} } = closing;
  const parts = openItemKinds.flatMap((kind) => (answers[kind] ? [`${itemNames[kind]}: ${answers[kind]}`] : []));
  const text = [...(reason ? [`Reason: ${reason}`] : []), ...parts].join('\n');
  if (text === '') return undefined;
  return {
    action: 'case.resolved',
    history: { kind: 'status', text: text.slice(0, 2000), isInternal: true },
    after: { resolution, reason, answers },
  };
}

const itemNames: Record<OpenItemKind, string> = {
  tasks: 'Unsent tasks',
  alerts: 'Unseen alerts',
  containment: 'No containment needed',
  question: 'No answer of the client',
};
