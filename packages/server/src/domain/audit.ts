/** The audit log: every change, denied call and sign-in leaves a row (decision 30). Rows can only be added. */

import { sql } from 'kysely';
import { storable } from '../core/db/like.ts';
import type { Tx } from '../core/db/scope.ts';
import type { Actor } from '../core/http/actor.ts';
import type { AccountActions } from './audit.actions.accounts.ts';
import type { CaseworkActions } from './audit.actions.cases.ts';
import type { PlatformActions } from './audit.actions.platform.ts';
import { auditVisibility } from './audit.visibility.ts';

/** Every action that there is, past tense, with what its entry keeps: a new one is written there first. */
export interface AuditActions extends AccountActions, CaseworkActions, PlatformActions {}
export type AuditAction = keyof AuditActions;

/** An action with its before and after. */
export type AuditChange<Action extends AuditAction = AuditAction> = { [A in Action]: { action: A } & AuditActions[A] }[Action];
export type AuditEntry = AuditChange & { organisationId: number; target?: string };

/** No user where a mailed link decides. */
type Auditor = Pick<Actor, 'organisationId' | 'address'> & { userId: number | null };

/** What people wrote stands in it, and JSON takes characters that PostgreSQL does not. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? storable(part) : part));

export const recordAudit = (tx: Tx, actor: Auditor, entry: AuditEntry): Promise<void> => recordAudits(tx, actor, [entry]);

/** Many in one statement. */
export async function recordAudits(tx: Tx, actor: Auditor, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const rows = entries.map((entry) => ({ ...entry, visibility: auditVisibility(entry) }));
  await sql`
    insert into audit (organisation_id, actor_user_id, actor_organisation_id, action, target, before, after, address, visibility)
    select e."organisationId", ${actor.userId}, ${actor.organisationId}, e.action, coalesce(e.target, ''), e.before, e.after, ${actor.address}, e.visibility
    from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as e ("organisationId" integer, action text, target text, before jsonb, after jsonb, visibility text)`.execute(tx);
}
