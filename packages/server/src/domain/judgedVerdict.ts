/** Verdict that stands on a case, in SQL (docs/decisions/0152-the-verdict-that-stands.md). */
import { investigationStatusIds } from '@parapet/contract/rules/cases.ts';
import { type JudgedVerdict, verdictOfInvestigation, verdictOfResolution } from '@parapet/contract/rules/judgement.ts';
import { type RawBuilder, sql } from 'kysely';

const { truePositive: _, ...otherResolutions } = verdictOfResolution;

const whens = (column: RawBuilder<unknown>, verdictOf: Readonly<Record<string, JudgedVerdict>>, type: 'text' | 'integer') =>
  sql.join(
    Object.entries(verdictOf).map(
      ([value, verdict]) => sql`when ${column} = ${sql.lit(type === 'integer' ? Number(value) : value)} then ${sql.lit(verdict)}`,
    ),
    sql` `,
  );

/** As `judgementOf` in contract/rules/judgement.ts states it; null before the first judgement. */
export const judgedVerdict = (row: RawBuilder<unknown>): RawBuilder<JudgedVerdict | null> => sql<JudgedVerdict | null>`(case
  ${whens(sql`${row}.resolution`, otherResolutions, 'text')}
  when ${row}.status = 'malicious' or ${row}.resolution = 'truePositive' then 'Malicious'
  ${whens(sql`${row}.investigation_status`, verdictOfInvestigation, 'integer')}
  else ${row}.verdict end)`;

/** True if a person found it malicious, and it was not closed as something else. */
export const isFoundMalicious = (row: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`(case ${row}.resolution
  when 'truePositive' then true when 'notStated' then ${concludedMalicious(row)} else ${row}.resolution is null and ${concludedMalicious(row)} end)`;

const concludedMalicious = (row: RawBuilder<unknown>) =>
  sql`(${row}.status = 'malicious' or ${row}.investigation_status = ${sql.lit(investigationStatusIds.malicious)})`;
