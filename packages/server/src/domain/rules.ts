/** The rules as the database keeps them: no tenant's, and they outlive their files. */
import { sql } from 'kysely';
import type { Tx } from '../core/db/scope.ts';
import type { RuleFacts } from '../core/db/tables.detection.ts';

export interface StoredRule {
  id: number;
  key: string;
  title: string;
  category: string;
  criticality: number;
  facts: RuleFacts;
}

/** Those of these ids, or all. */
export async function listRules(tx: Tx, ids?: readonly number[]): Promise<StoredRule[]> {
  const { rows } = await sql<StoredRule>`select id, key, title, category, criticality, facts from rules
    ${ids ? sql`where id = any(${[...ids]}::integer[])` : sql``} order by id`.execute(tx);
  return rows;
}
