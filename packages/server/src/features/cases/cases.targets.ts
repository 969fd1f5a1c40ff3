/** The clocks of cases.clocks.ts as conditions on cases named `c` of organisations named `o`, for lists and figures over many cases. */
import { type SlaTimerName, targetMinutes } from '@parapet/contract/rules/cases.ts';
import { type RawBuilder, sql } from 'kysely';

/** Minutes, by the contract's own table. */
export function targetIn(name: SlaTimerName): RawBuilder<number> {
  const levels = [1, 2, 3].map(
    (level) => `{${[1, 2, 3, 4, 5].map((criticality) => targetMinutes(name, criticality, level)).join()}}`,
  );
  return sql<number>`(${sql.lit(`{${levels.join()}}`)}::integer[])[case when o.subscription_level_id in (2, 3) then o.subscription_level_id else 1 end][c.criticality]`;
}

/** Minutes from opening to `until`, less the milliseconds that it waited. */
export const minutesTo = (until: RawBuilder<unknown>, waitedMs: RawBuilder<unknown> = sql`0`): RawBuilder<number> =>
  sql<number>`greatest(0, date_part('epoch', ${until} - c.created_at) / 60 - ${waitedMs}::float8 / 60000)`;

const waitedUntil = (now: Date): RawBuilder<unknown> =>
  sql`(c.waited_ms + greatest(0, date_part('epoch', least(${now}::timestamptz, c.wait_expires_at) - c.waiting_since)) * 1000)`;

/** Minutes that its next clock has run. */
export const elapsedIn = (now: Date): RawBuilder<number> => minutesTo(sql`${now}::timestamptz`, waitedUntil(now));

export const nextTarget: RawBuilder<number> = sql<number>`case when c.acknowledged_at is null then ${targetIn('acknowledge')}
  when c.contained_at is null then ${targetIn('contain')} else ${targetIn('close')} end`;

/** An open case whose next clock is over. Targets grow from clock to clock, so none behind it can be over alone. */
export const isBreached = (now: Date): RawBuilder<boolean> =>
  sql<boolean>`(c.closed_at is null and ${elapsedIn(now)} > ${nextTarget})`;
