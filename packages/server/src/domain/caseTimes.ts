/** SLA timers of cases.clocks.ts as SQL over cases `c` and organisations `o`, for lists, figures and queries. */
import { type SlaTimerName, slaWarningShare, targetMinutes } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Tables } from '../core/db/tables.ts';

/** Target in minutes, from the contract's table. */
export function targetIn(name: SlaTimerName): RawBuilder<number> {
  const levels = [1, 2, 3].map(
    (level) => `{${[1, 2, 3, 4, 5].map((criticality) => targetMinutes(name, criticality, level)).join()}}`,
  );
  return sql<number>`(${sql.lit(`{${levels.join()}}`)}::integer[])[case when o.subscription_level_id in (2, 3) then o.subscription_level_id else 1 end][c.criticality]`;
}

/** Minutes from opening to `until`, without the milliseconds spent waiting. */
const minutesTo = (until: RawBuilder<unknown>, waitedMs: RawBuilder<unknown> = sql`0`): RawBuilder<number> =>
  sql<number>`greatest(0, date_part('epoch', ${until} - c.created_at) / 60 - ${waitedMs}::float8 / 60000)`;

const waitedUntil = (now: Date): RawBuilder<unknown> =>
  sql`(c.waited_ms + greatest(0, date_part('epoch', least(${now}::timestamptz, c.wait_expires_at) - c.waiting_since)) * 1000)`;

/** Minutes that the next SLA timer has run. */
export const elapsedIn = (now: Date): RawBuilder<number> => minutesTo(sql`${now}::timestamptz`, waitedUntil(now));

export const nextTarget: RawBuilder<number> = sql<number>`case when c.acknowledged_at is null then ${targetIn('acknowledge')}
  when c.contained_at is null then ${targetIn('contain')} else ${targetIn('close')} end`;

/** True for an open case whose next SLA timer has run out. Targets grow from timer to timer, so the next one runs out first. */
export const isBreached = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(c.closed_at is null and ${elapsedIn(now)} > ${nextTarget})`;

/** Minutes that an SLA timer took; null before its end. */
export const toAcknowledge = minutesTo(sql`c.acknowledged_at`);
export const toContain = minutesTo(sql`c.contained_at`, sql`coalesce(c.contained_waited_ms, c.waited_ms)`);
export const toClose = minutesTo(sql`c.closed_at`, sql`c.waited_ms`);

/** A case whose containment was verified; the others have no time to contain. */
export const isContained = sql<boolean>`(c.containment = 'verified')`;

type CaseQuestion = Pick<
  Selectable<Tables['cases']>,
  'client_question_at' | 'client_answered_at' | 'closed_at' | 'waiting_since' | 'wait_expires_at'
>;

/** True if an emailed question has no answer. A new question clears the earlier answer. */
export const isQuestionOpen = ({ client_question_at: questionAt, client_answered_at: answered }: CaseQuestion): boolean =>
  questionAt !== null && answered === null;

/** True if the client can answer: an emailed question is open, or the case waits for the client. */
export const isAnswerable = (record: CaseQuestion, now: number): boolean =>
  isQuestionOpen(record) ||
  (record.closed_at === null &&
    record.waiting_since !== null &&
    (record.wait_expires_at === null || record.wait_expires_at.getTime() > now));

/** An answer of the client that no analyst has seen. */
export const isAnswerUnseen = sql<boolean>`(c.client_answered_at is not null and c.client_answer_seen_at is null)`;

/** A closed case that met all of its targets; without containment, or a reason why none was needed, it has missed that one. */
export const isWithinTargets = sql<boolean>`(${toClose} <= ${targetIn('close')} and (c.acknowledged_at is null or ${toAcknowledge} <= ${targetIn('acknowledge')})
  and c.contained_at is not null and ${toContain} <= ${targetIn('contain')})`;

/** True if an open case waits for the client. */
export const isWaiting = (now: number): RawBuilder<boolean> =>
  sql<boolean>`(c.closed_at is null and c.waiting_since is not null and coalesce(c.wait_expires_at > ${new Date(now)}, true))`;

/** Minutes until the next SLA timer of an open case runs out; null while it waits and for a closed case. */
export const minutesToBreach = (now: Date): RawBuilder<number | null> =>
  sql<
    number | null
  >`case when c.closed_at is null and not coalesce(${isWaiting(now.getTime())}, false) then ${nextTarget} - ${elapsedIn(now)} end`;

/** True for an open case whose next SLA timer has run for more than the share of its target that warns. */
export const isWarning = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(c.closed_at is null and ${elapsedIn(now)} > ${slaWarningShare}::float8 * ${nextTarget} and not ${isBreached(now)})`;
