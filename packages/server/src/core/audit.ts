/** The audit log: every change, denied call and sign-in leaves a row (decision 30). Rows can only be added. */

import { sql } from 'kysely';
import { storable } from './db/like.ts';
import type { Tx } from './db/scope.ts';
import type { Actor } from './http/actor.ts';

export interface AuditEntry {
  /** Past tense: tag.saved, call.denied. */
  action: string;
  organisationId: number;
  target?: string;
  before?: unknown;
  after?: unknown;
}

/** No user where a mailed link decides. */
type Auditor = Pick<Actor, 'organisationId' | 'address'> & { userId: number | null };

/** What people wrote stands in it, and JSON takes characters that PostgreSQL does not. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part));

export const recordAudit = (tx: Tx, actor: Auditor, entry: AuditEntry): Promise<void> => recordAudits(tx, actor, [entry]);

/** Many in one statement. */
export async function recordAudits(tx: Tx, actor: Auditor, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    insert into audit (organisation_id, actor_user_id, actor_organisation_id, action, target, before, after, address)
    select e."organisationId", ${actor.userId}, ${actor.organisationId}, e.action, coalesce(e.target, ''), e.before, e.after, ${actor.address}
    from jsonb_to_recordset(${storableJson(entries)}::jsonb)
      as e ("organisationId" integer, action text, target text, before jsonb, after jsonb)`.execute(tx);
}
