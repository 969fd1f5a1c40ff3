/** Retention that applies to an organisation: its own choice or the portal’s default, within the limits of the Host. */
import { type RawBuilder, sql } from 'kysely';

/** Days that raw events stay in hot storage; `organisation` is the table or its alias. */
export const eventDaysOf = (organisation: string, portalDays: number): RawBuilder<number> =>
  sql<number>`(select greatest(s.event_days_min, least(coalesce(${sql.ref(`${organisation}.event_retention_days`)}, ${sql.lit(portalDays)}),
    coalesce(s.event_days_max, ${sql.lit(portalDays)}))) from installation_settings s)`;

/** Months that they stay in the archive after that; 0 for none. */
export const archiveMonthsOf = (organisation: string): RawBuilder<number> =>
  sql<number>`(select least(coalesce(${sql.ref(`${organisation}.archive_months`)}, 0), s.archive_months_max) from installation_settings s)`;
