/** Working hours of approval rules: Monday to Friday, 08:00 to 18:00 in a time zone. */
import { type RawBuilder, sql } from 'kysely';

const [firstHour, endHour] = [8, 18];

export function isWorkingHours(now: number, timeZone: string): boolean {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' }).formatToParts(
    now,
  );
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  const hour = Number(part('hour'));
  return !['Sat', 'Sun'].includes(part('weekday')) && hour >= firstHour && hour < endHour;
}

/** The same of a timestamptz, as SQL. */
export const inWorkingHours = (at: RawBuilder<unknown>, timeZone: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(extract(isodow from ${at} at time zone ${timeZone}) <= 5 and extract(hour from ${at} at time zone ${timeZone}) >= ${sql.lit(firstHour)}
    and extract(hour from ${at} at time zone ${timeZone}) < ${sql.lit(endHour)})`;
