/** State of findings, as SQL over `findings f` or another row of them. */
import type { findingStates } from '@parapet/contract/rules/values.ts';
import { type RawBuilder, sql } from 'kysely';

type FindingState = (typeof findingStates)[number];
const findings = sql`f`;

/** True while the acceptance runs; it expires automatically. */
export const isAccepted = (now: Date, f: RawBuilder<unknown> = findings) =>
  sql<boolean>`(${f}.accepted_until is not null and ${f}.accepted_until > ${now})`;
/** Hides findings that another source already reports. */
export const isShown = (f: RawBuilder<unknown> = findings) => sql<boolean>`not ${f}.is_repeated`;
export const isOpen = (now: Date, f: RawBuilder<unknown> = findings) =>
  sql<boolean>`(${isShown(f)} and ${f}.fixed_at is null and (${f}.accepted_until is null or ${f}.accepted_until <= ${now}))`;

export const findingState = (now: Date, f: RawBuilder<unknown> = findings) =>
  sql<FindingState>`case when ${f}.fixed_at is not null then 'fixed' when ${isAccepted(now, f)} then 'accepted' else 'open' end`;

export const isExploited = (f: RawBuilder<unknown> = findings) =>
  sql<boolean>`exists (select from known_exploited k where k.cve = ${f}.cve)`;

/** EPSS, 0 to 1, with five decimals; null without one. */
export const epssOf = (f: RawBuilder<unknown> = findings) =>
  sql<number | null>`(select round(e.score::numeric, 5)::float8 from epss_scores e where e.cve = ${f}.cve)`;
