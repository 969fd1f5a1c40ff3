/** Cases that count as malicious where something would hide them. */
import { decisionIds } from '@parapet/contract/rules/cases.ts';
import { sql } from 'kysely';

/** Condition on cases `c`: by status, verdict or a second analyst’s decision. */
export const isMalicious = sql<boolean>`(c.status = 'malicious' or c.verdict = 'Malicious'
  or exists (select from case_reviews r where r.case_id = c.id and r.decision_id = ${sql.lit(decisionIds.malicious)}))`;
